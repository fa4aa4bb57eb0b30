#include "text/byte_trie.h"

#include "base/check.h"

namespace kelda::text {

ByteTrie::ByteTrie() : nodes_{{kNone, kNone, kNone, -1, 0, 0}} { first_level_.fill(kNone); }

ByteTrie::Node ByteTrie::child(Node node, uint8_t byte) const {
  if (node == kRoot) return first_level_[byte];
  Node c = nodes_[static_cast<std::size_t>(node)].first_child;
  while (c != kNone && nodes_[static_cast<std::size_t>(c)].byte != byte)
    c = nodes_[static_cast<std::size_t>(c)].next_sibling;
  return c;
}

void ByteTrie::add(std::string_view text, int32_t value) {
  KELDA_CHECK(!text.empty() && value >= 0);
  Node node = kRoot;
  for (const char ch : text) {
    const auto byte = static_cast<uint8_t>(ch);
    Node next = child(node, byte);
    if (next == kNone) {
      next = n_nodes();
      Entry& from = nodes_[static_cast<std::size_t>(node)];
      const Entry added{node, kNone, from.first_child, -1, from.depth + 1, byte};
      from.first_child = next;
      if (node == kRoot) first_level_[byte] = next;
      nodes_.push_back(added);
    }
    node = next;
  }
  Entry& end = nodes_[static_cast<std::size_t>(node)];
  if (end.value < 0) end.value = value;
}

}  // namespace kelda::text
