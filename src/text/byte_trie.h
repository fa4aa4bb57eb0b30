// A trie over bytes: strings with a number each, walked one byte at a time.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kelda::text {

class ByteTrie {
 public:
  using Node = int32_t;
  static constexpr Node kRoot = 0, kNone = -1;

  ByteTrie();
  // `text` must not be empty, `value` not negative. The first value given for a text stays.
  void add(std::string_view text, int32_t value);

  // kNone if no string goes on like this. From the root one look-up, deeper at most 256 comparisons.
  Node child(Node node, uint8_t byte) const;
  int32_t value(Node node) const {
    return nodes_[static_cast<std::size_t>(node)].value;
  }  // −1: no string ends here
  int32_t depth(Node node) const {
    return nodes_[static_cast<std::size_t>(node)].depth;
  }  // bytes from the root
  Node parent(Node node) const { return nodes_[static_cast<std::size_t>(node)].parent; }
  uint8_t byte(Node node) const { return nodes_[static_cast<std::size_t>(node)].byte; }
  Node n_nodes() const { return static_cast<Node>(nodes_.size()); }

 private:
  struct Entry {
    Node parent, first_child, next_sibling;
    int32_t value, depth;
    uint8_t byte;
  };
  std::vector<Entry> nodes_;  // a parent comes before its children
  std::array<Node, 256> first_level_;
};

}  // namespace kelda::text
