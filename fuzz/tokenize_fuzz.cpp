// Texts from outside, for every hand-made tokenizer of the tests: the first byte chooses one of them.
#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "fuzz/tokenizer_checks.h"
#include "text/tokenizer_json.h"

namespace {

using namespace kelda;
using nlohmann::json;

std::vector<std::unique_ptr<const text::Tokenizer>> load() {
  std::ifstream in(KELDA_SOURCE_DIR "/tests/golden/tokenizer_tiny.json");
  const json golden = json::parse(in);
  std::vector<std::unique_ptr<const text::Tokenizer>> out;
  for (const json& c : golden["cases"]) {
    json file = c["tokenizer"];
    file["model"].update(golden["vocabularies"][c["vocabulary"].get<std::size_t>()]);
    out.push_back(text::read_tokenizer_json(file.dump()));
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static const auto tokenizers = load();
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  fuzz::check_tokenizer(*tokenizers[data[0] % tokenizers.size()], text);
  return 0;
}
