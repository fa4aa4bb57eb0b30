// The tokenizer of a GGUF file's metadata. The input is lists of lines, a list ended by \1:
//   kind and pre-tokenizer; pieces, each after a letter for its type and one for its score; merges; numbers;
//   and then the text.
#include <cstdint>
#include <memory>

#include "config/metadata.h"
#include "fuzz/tokenizer_checks.h"

namespace {

using namespace kelda;

using Lines = std::vector<std::string>;

Lines take_list(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\1'), rest.size());
  const std::string_view list = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  Lines lines;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t stop = std::min(list.find('\n', begin), list.size());
    lines.emplace_back(list.substr(begin, stop - begin));
    begin = stop + 1;
  }
  return lines;
}

Metadata metadata_of(std::string_view& rest) {
  Metadata m;
  const Lines kind = take_list(rest);
  const auto put = [&](const std::string& name, auto value) {
    m.add("tokenizer.ggml." + name, MetadataValue(std::move(value)));
  };
  if (!kind.empty()) put("model", kind[0]);
  if (kind.size() > 1) put("pre", kind[1]);
  Lines pieces;
  std::vector<int32_t> types;
  std::vector<float> scores;
  for (const std::string& line : take_list(rest)) {
    types.push_back(line.empty() ? 1 : line[0] - '0');
    scores.push_back(line.size() < 2 ? 0 : static_cast<float>(static_cast<signed char>(line[1])));
    pieces.push_back(line.size() < 2 ? std::string() : line.substr(2));
  }
  put("tokens", std::move(pieces));
  put("token_type", std::move(types));
  put("scores", std::move(scores));
  if (Lines merges = take_list(rest); !merges.empty()) put("merges", std::move(merges));
  // "beos_token_id 3": a type of GGUF, then the key.
  for (const std::string& line : take_list(rest)) {
    const std::size_t blank = line.rfind(' ');
    if (blank == std::string::npos || blank == 0) continue;
    const std::string name = line.substr(1, blank - 1);
    if (m.find("tokenizer.ggml." + name)) continue;
    const int64_t value = std::atoi(line.c_str() + blank);
    if (line[0] == 'b') put(name, value != 0);
    if (line[0] == 'u') put(name, static_cast<uint32_t>(value));
    if (line[0] == 'i') put(name, static_cast<int32_t>(value));
    if (line[0] == 's') put(name, line.substr(blank + 1));
  }
  return m;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const Metadata m = metadata_of(rest);
  std::unique_ptr<const text::Tokenizer> tokenizer;
  try {
    tokenizer = text::make_tokenizer(std::make_shared<const Vocabulary>(m));
  } catch (const Error& e) {
    KELDA_CHECK(e.code() == ErrorCode::kBadInput || e.code() == ErrorCode::kUnsupported);
    return 0;
  }
  fuzz::check_tokenizer(*tokenizer, rest);
  return 0;
}
