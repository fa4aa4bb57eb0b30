// Cutting and joining texts as Python's str methods do; all keep provenance exactly.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "jinja/text.h"
#include "jinja/value.h"

namespace kelda::jinja {

class Runtime;

enum class Side { kLeft, kRight, kBoth };
// Without `chars`: white space.
Text strip(Runtime& rt, const Text& text, const Text* chars, Side side);
// At most `max` cuts (−1: all), from the left or the right. Throws ValueError for an empty separator.
std::vector<Value> split(Runtime& rt, const Text& text, const Text& separator, int64_t max, bool from_right);
std::vector<Value> split_white(Runtime& rt, const Text& text, int64_t max, bool from_right);
std::vector<Text> split_lines(Runtime& rt, const Text& text, bool keep_ends);
Text replace(Runtime& rt, const Text& text, const Text& from, const Text& to, int64_t max);
// Python's str.join for texts that exist already.
class TextJoiner {
 public:
  TextJoiner(Runtime& rt, const Text& separator) : rt_(rt), separator_(separator) {}
  void add(const Text& text);
  Text take() { return std::move(out_); }

 private:
  Runtime& rt_;
  const Text& separator_;
  Text out_;
  bool first_ = true;
};

}  // namespace kelda::jinja
