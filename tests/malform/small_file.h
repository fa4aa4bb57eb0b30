// A well-formed GGUF file of a few hundred bytes, the start of most malformed ones.
#pragma once

#include "malform/gguf_builder.h"

namespace kelda::malform {

inline constexpr uint32_t kF32 = 0, kQ4_0 = 2;  // ggml type ids

// Three keys and two tensors: "a" is f32 [2, 4], "b" is q4_0 [1, 32].
inline GgufBuilder small_file() {
  GgufBuilder b;
  b.add("general.architecture", scalar("none"));
  b.add("test.number", scalar(uint32_t{7}));
  b.add("test.list", array<std::string>({"one", "two"}));
  std::string floats;
  for (int i = 0; i < 8; ++i) floats += raw(static_cast<float>(i));
  b.tensors.push_back({"a", {4, 2}, kF32, floats});
  b.tensors.push_back({"b", {32, 1}, kQ4_0, std::string(18, '\x21')});
  return b;
}

}  // namespace kelda::malform
