// docs/reference/knobs.md, from the rows.
#pragma once

#include <string>

namespace kelda::sampling {

// The page as Markdown, ending with a newline.
std::string knobs_page();

}  // namespace kelda::sampling
