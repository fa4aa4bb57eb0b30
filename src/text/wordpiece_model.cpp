#include "text/wordpiece_model.h"

#include <algorithm>

#include "text/added_tokens.h"

namespace kelda::text {

class WordPieceModel::WordEncoder final : public Encoder {
 public:
  explicit WordEncoder(const WordPieceModel& model) : model_(model) {}
  void append(std::string_view word, std::vector<TokenId>& ids) override {
    const auto characters = std::count_if(word.begin(), word.end(),
                                          [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; });
    if (characters > model_.max_characters_) {
      ids.push_back(model_.unknown_);
      return;
    }
    const std::size_t before = ids.size();
    for (std::size_t done = 0; done < word.size();) {
      const ByteTrie& trie = done == 0 ? model_.begin_ : model_.go_on_;
      TokenId longest = -1;
      std::size_t end = done;
      ByteTrie::Node node = ByteTrie::kRoot;
      for (std::size_t i = done; i < word.size(); ++i) {
        node = trie.child(node, static_cast<uint8_t>(word[i]));
        if (node == ByteTrie::kNone) break;
        if (trie.value(node) < 0) continue;
        longest = trie.value(node);
        end = i + 1;
      }
      if (longest < 0) {
        ids.resize(before);
        ids.push_back(model_.unknown_);
        return;
      }
      ids.push_back(longest);
      done = end;
    }
  }

 private:
  const WordPieceModel& model_;
};

WordPieceModel::WordPieceModel(const Vocabulary& vocabulary, const Options& options)
    : unknown_(options.unknown), max_characters_(options.max_characters) {
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (is_special(vocabulary.type(id))) continue;  // no word of a text is one
    std::string_view piece = vocabulary.piece(id);
    const bool marked = !options.mark.empty() && piece.starts_with(options.mark);
    if (marked) piece.remove_prefix(options.mark.size());
    if (piece.empty()) continue;
    (marked == options.mark_begins ? begin_ : go_on_).add(piece, id);
  }
}

std::unique_ptr<SubwordModel::Encoder> WordPieceModel::encoder() const {
  return std::make_unique<WordEncoder>(*this);
}

}  // namespace kelda::text
