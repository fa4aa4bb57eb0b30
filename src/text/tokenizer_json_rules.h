// The parts of a tokenizer.json that say how text is treated around the model.
#pragma once

#include <vector>

#include "text/json_view.h"
#include "text/rules.h"

namespace kelda::text {

// Each reads one value, which may be a Sequence of others. Throws kBadInput for what is malformed, and
// kUnsupported for a type, field or combination that is refused, naming the path (why each is
// refused: docs/adr/0012-tokenizers.md).
std::vector<NormalizerStep> read_normalizer(const JsonView& value);
std::vector<PreTokenizerStep> read_pre_tokenizer(const JsonView& value);
DecoderRules read_decoder(const JsonView& value);

// What a post-processor puts before and after a text: tokens by name; empty for nothing.
struct Envelope {
  std::string before = {}, after = {};
};
Envelope read_post_processor(const JsonView& value);

}  // namespace kelda::text
