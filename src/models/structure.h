// What a network is made of, as people draw it: parts in the order of a pass, the tensors of all blocks
// together.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "files/model_file.h"
#include "learned/tensor_list.h"

namespace kelda::models {

// One tensor, or the one of its name in every block.
struct StructureRow {
  std::string name;                             // GGUF's, without the block: "attn_q.weight"
  std::vector<int64_t> shape;                   // row-major, of one
  int64_t count = 0;                            // how many there are
  uint64_t parameters = 0;                      // of all; 0 where another tensor takes its place
  uint64_t bytes = 0;                           // likewise, as they are in the file
  std::string tied_to;                          // that other tensor; empty where it has its own
  std::map<std::string_view, int64_t> formats;  // of how many each is
};

struct StructurePart {
  std::string_view name;  // "embedding", "attention", "feed-forward", "block", "head"
  bool in_block = false;  // once in every block
  std::vector<StructureRow> rows;

  uint64_t parameters() const;
  uint64_t bytes() const;
};

// From what the family asks for and what the file holds; an optional tensor that is not there has no row.
std::vector<StructurePart> structure(const TensorList& tensors, const ModelFile& file);

}  // namespace kelda::models
