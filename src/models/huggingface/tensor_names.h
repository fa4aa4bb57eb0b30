// A folder's tensors under GGUF's names: which stored tensors make each, and what is done with their numbers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "files/safetensors.h"
#include "models/huggingface/huggingface.h"

namespace kelda::models {

struct NamedSource {
  Translated how = Translated::kAsIs;
  std::vector<const StoredTensor*> parts = {};  // one, or the experts of a stack in order
  bool is_stack = false;
};

// By GGUF's name. A tensor that no row knows keeps its own, so that whoever checks the tensors names it as
// its maker does. Throws kBadInput where two stored tensors would become one, and where experts are missing.
std::map<std::string, NamedSource> name_tensors(const std::vector<StoredTensor>& stored,
                                                const HuggingFace& family);

// What a stored tensor would be called that `ours`, GGUF's name, is made of (of a stack, the first of them):
// "layers.1.self_attn.k_proj.weight" for "blk.1.attn_k.weight", without the prefix that folders may have.
// `ours` where no row knows it.
std::string stored_name(std::string_view ours, const HuggingFace& family);

}  // namespace kelda::models
