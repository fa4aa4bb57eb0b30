// Cutting text into the pieces within which merges may happen. GGUF names the way to cut; each name is a row
// here.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "text/regex.h"

namespace kelda::text {

// Each expression cuts what the one before left: its matches and the gaps between them are the new pieces,
// and it sees a piece as if nothing were around it.
struct PreTokenizerRow {
  std::string_view name;  // GGUF's tokenizer.ggml.pre
  std::span<const std::string_view> expressions;
};
std::span<const PreTokenizerRow> pre_tokenizer_rows();

class PreTokenizer {
 public:
  // Throws kUnsupported naming the known ones.
  explicit PreTokenizer(std::string_view name);

  // Scratch of one thread.
  class Cutter {
   public:
    explicit Cutter(const PreTokenizer& p);
    // Calls `piece` for each piece in order; together they are `text`, which must be valid UTF-8. Linear.
    void cut(std::string_view text, const std::function<void(std::string_view)>& piece) {
      cut(text, 0, piece);
    }

   private:
    void cut(std::string_view text, std::size_t step, const std::function<void(std::string_view)>& piece);
    std::vector<Regex::Matcher> steps_;
  };

 private:
  std::vector<Regex> steps_;
};

}  // namespace kelda::text
