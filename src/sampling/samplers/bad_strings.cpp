// Bad strings: the output never holds one of these texts, however it is cut into tokens. A token is banned
// where its bytes, after those of the output so far, would complete one.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "sampling/sampler.h"

namespace kelda::sampling::bad_strings {
namespace {

// The bytes of every token, and which tokens begin with a byte.
class TokenTable {
 public:
  TokenTable(const TokenText& text, std::size_t vocab_size) : bytes_of_(text.bytes) {
    KELDA_CHECK(bytes_of_);
    begins_.reserve(vocab_size + 1);
    for (std::size_t id = 0; id < vocab_size; ++id) {
      begins_.push_back(bytes_.size());
      bytes_ += bytes_of_(static_cast<TokenId>(id));
    }
    begins_.push_back(bytes_.size());
    for (std::size_t id = 0; id < vocab_size; ++id) {
      const std::string_view bytes = of(static_cast<TokenId>(id));
      if (!bytes.empty()) by_first_[static_cast<uint8_t>(bytes[0])].push_back(static_cast<TokenId>(id));
    }
  }

  std::size_t size() const { return begins_.size() - 1; }
  std::string_view of(TokenId id) const {
    const auto index = static_cast<std::size_t>(id);
    if (id < 0 || index >= size()) return {};
    return std::string_view(bytes_).substr(begins_[index], begins_[index + 1] - begins_[index]);
  }
  const std::vector<TokenId>& beginning_with(char first) const {
    return by_first_[static_cast<uint8_t>(first)];
  }

 private:
  std::function<std::string(TokenId)> bytes_of_;
  std::string bytes_;
  std::vector<std::size_t> begins_;
  std::array<std::vector<TokenId>, 256> by_first_;
};

class BadStrings final : public Sampler {
 public:
  BadStrings(std::vector<std::string> strings, TokenTable table)
      : strings_(std::move(strings)), table_(std::move(table)) {
    for (const std::string& s : strings_) longest_ = std::max(longest_, s.size());
    std::size_t longest_token = 0;
    for (std::size_t id = 0; id < table_.size(); ++id) {
      const std::string_view bytes = table_.of(static_cast<TokenId>(id));
      const bool whole = std::any_of(strings_.begin(), strings_.end(), [&](const std::string& s) {
        return bytes.find(s) != std::string_view::npos;
      });
      if (whole) whole_in_.push_back(static_cast<TokenId>(id));
      longest_token = std::max(longest_token, bytes.size());
    }
    tail_.reserve(longest_ + longest_token);
  }

  void apply(Candidates& candidates, const History& history, const DrawKey&) override {
    for (const TokenId id : whole_in_) candidates.ban(id);
    read_tail(history);
    for (const std::string& s : strings_) {
      for (std::size_t begun = 1; begun < s.size() && begun <= tail_.size(); ++begun) {
        if (tail_.compare(tail_.size() - begun, begun, s, 0, begun) == 0)
          ban_beginning_with(candidates, std::string_view(s).substr(begun));
      }
    }
    candidates.drop_banned();
  }

 private:
  void ban_beginning_with(Candidates& candidates, std::string_view rest) {
    for (const TokenId id : table_.beginning_with(rest[0])) {
      if (table_.of(id).substr(0, rest.size()) == rest) candidates.ban(id);
    }
  }

  // As much of the output's end as can be the beginning of a string.
  void read_tail(const History& history) {
    std::size_t n_bytes = 0, first = history.generated.size();
    while (first > 0 && n_bytes + 1 < longest_) n_bytes += table_.of(history.generated[--first]).size();
    tail_.clear();
    for (const TokenId id : history.generated.subspan(first)) {
      tail_ += table_.of(id);
      if (tail_.size() >= longest_) tail_.erase(0, tail_.size() - (longest_ - 1));
    }
  }

  std::vector<std::string> strings_;
  TokenTable table_;
  std::size_t longest_ = 0;
  std::vector<TokenId> whole_in_;  // tokens in which a whole string stands
  std::string tail_;
};

}  // namespace

const SamplerSpec& sampler() {
  static const SamplerSpec spec{
      .name = "bad_strings",
      .stage = Stage::kBadStrings,
      .knobs = {{.name = "bad_strings",
                 .type = KnobType::kTextList,
                 .max_items = 64,
                 .max_bytes = 256,
                 .help = "The output never holds one of these texts, however it is cut into tokens."}},
      .is_on = [](const Knobs& knobs) { return !knobs.texts("bad_strings").empty(); },
      .make = [](const Knobs& knobs, const TokenText& text,
                 std::size_t vocab_size) -> std::unique_ptr<Sampler> {
        return std::make_unique<BadStrings>(knobs.texts("bad_strings"), TokenTable(text, vocab_size));
      },
      .textbook =
          [](std::vector<TextbookToken>& tokens, const TextbookPast& past, const Knobs& knobs) {
            std::string said;
            for (const TokenId id : past.history.generated) said += past.text.bytes(id);
            std::erase_if(tokens, [&](const TextbookToken& t) {
              const std::string after = said + past.text.bytes(t.id);
              for (const std::string& s : knobs.texts("bad_strings")) {
                for (std::size_t end = said.size() + 1; end <= after.size(); ++end) {
                  if (end >= s.size() && after.compare(end - s.size(), s.size(), s) == 0) return true;
                }
              }
              return false;
            });
          },
      .selftest = {R"({"bad_strings": ["ta", "wtb", "ee"]})"}};
  return spec;
}

}  // namespace kelda::sampling::bad_strings
