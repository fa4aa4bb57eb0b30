// An architecture: one file in models/families that declares what differs from the common metadata keys,
// which tensors it has, and how a pass runs. Everything else derives from that.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "config/metadata.h"
#include "config/model_config.h"
#include "learned/tensor_list.h"
#include "learned/weights.h"
#include "models/config_keys.h"
#include "models/huggingface/huggingface.h"
#include "models/scratch.h"
#include "ops/exec.h"
#include "state/batch.h"
#include "state/kv_cache.h"
#include "tensor/matrix.h"

namespace kelda::models {

// A family's layers bound to one model's weights: every tensor resolved once, at load. Immutable and shared;
// all that changes while it runs comes in as arguments.
class Network {
 public:
  virtual ~Network() = default;
  // Runs the batch, writes its keys and values into the cache (the sequences have reserved, and advance
  // afterwards), and gives the raw logits of the rows that in.logit_rows names.
  //   logits: [logit_rows.size(), vocab_size].  Neither throws nor allocates, except for growing scratch.
  virtual void forward(const Batch& in, KvCache& kv, Scratch& scratch, Exec& exec,
                       Matrix<float> logits) const = 0;
};

// The same of a network that reads whole texts and writes none.
class EncoderNetwork {
 public:
  virtual ~EncoderNetwork() = default;
  // Reads the batch: each run is a text of its own, whole, from position 0 (the sequences have reserved and
  // never advance; kv is room for one layer's keys and values, which are of no use afterwards).
  //   hidden: [n_rows, hidden_size] the tokens' vectors.   Neither throws nor allocates, except for growing
  //   scratch.
  virtual void encode(const Batch& in, KvCache& kv, Scratch& scratch, Exec& exec,
                      Matrix<float> hidden) const = 0;
};

// A decoder goes on with a text, token by token. An encoder turns a text into a vector.
enum class Role { kDecoder, kEncoder };

struct Family {
  std::string_view name;     // GGUF's general.architecture
  std::string_view summary;  // for people: what it runs, in a line
  // CONFIG: what differs from the common keys that read_config() has filled in. A key that the family neither
  // reads nor ignores must have the value that changes nothing, or the file is refused. Throws kBadInput or
  // kUnsupported naming the key.
  void (*read)(ConfigKeys&, ModelConfig&);
  // LEARNED: each tensor and its shape.
  void (*tensors)(const ModelConfig&, TensorList&);
  // One of the two; the other is null. The weights and the config outlive the network.
  std::unique_ptr<const Network> (*bind)(const Weights&, const ModelConfig&) = nullptr;
  std::unique_ptr<const EncoderNetwork> (*bind_encoder)(const Weights&, const ModelConfig&) = nullptr;
  // Metadata that a tiny instance needs beyond the common keys: the contract tests build and run one of every
  // family.
  std::vector<Metadata::Item> tiny = {};
  HuggingFace huggingface = {};  // its folders on Hugging Face; without architectures, it has none

  Role role() const { return bind != nullptr ? Role::kDecoder : Role::kEncoder; }
};
std::span<const Family* const> families();  // generated, sorted by file name

// nullptr if this build has no family of that name.
const Family* find_family(std::string_view architecture);

// The family that the file's general.architecture names; kUnsupported naming the known ones.
const Family& find_family(const Metadata& metadata);

// The common keys, checked (ranges, divisibility, finiteness), then the family's own. Every key of the
// architecture is accounted for: one that is not known, or that asks for arithmetic which no code here does,
// throws kUnsupported naming it. What is out of range throws kBadInput naming the key.
ModelConfig read_config(const Metadata& metadata);

// Of the cache that the network runs on. Of an encoder it has one layer, which all of them use in turn.
KvShape kv_shape(const ModelConfig& config, KvType type);

}  // namespace kelda::models
