// Unicode's normal forms, in the version that the models' tokenizers knew. utf8proc decomposes and composes;
// characters that it may know and they did not (kNotNormalised) are left as they are, so the machine's
// version does not matter: what is assigned never changes (Unicode's stability policy). The sorting of
// combining marks is done here, since the library's is quadratic.
//   Source: Unicode Standard Annex 15.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kelda::text {

enum class NormalForm : uint8_t { kNfc, kNfd, kNfkc, kNfkd };

// Appends the normal form of valid UTF-8. O(n log m) for runs of m combining marks.
void append_normal_form(std::string_view utf8, NormalForm form, std::string& out);

}  // namespace kelda::text
