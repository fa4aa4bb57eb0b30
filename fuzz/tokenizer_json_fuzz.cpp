// A tokenizer.json and a text, both from outside: "JSON\0TEXT". The file is refused with a message, or the
// tokenizer that it describes keeps every promise.
#include <cstdint>

#include "fuzz/tokenizer_checks.h"
#include "text/tokenizer_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(all.find('\0'), all.size());
  std::unique_ptr<const kelda::text::Tokenizer> tokenizer;
  try {
    tokenizer = kelda::text::read_tokenizer_json(all.substr(0, end));
  } catch (const kelda::Error& e) {
    KELDA_CHECK(e.code() == kelda::ErrorCode::kBadInput || e.code() == kelda::ErrorCode::kUnsupported);
    return 0;
  }
  kelda::fuzz::check_tokenizer(*tokenizer, all.substr(std::min(end + 1, all.size())));
  return 0;
}
