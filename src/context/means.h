// What a policy works with: the count of tokens, and the model itself. STATE: what its runs have cost.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "context/given.h"
#include "engine/request.h"

namespace kelda::context {

// What the model wrote, greedily, after a prompt.
struct Written {
  std::string text;
  bool ended = true;  // by itself, before max_tokens
  Usage usage = {};
};
// Throws what it likes where it cannot: the policy ends with it. The prompt and max_tokens fit the window.
using Write = std::function<Written(std::vector<TokenId> prompt, int64_t max_tokens)>;

class Means {
 public:
  // The tokenizer outlives this.
  Means(const text::Tokenizer& tokenizer, int64_t window, Write write)
      : tokenizer_(tokenizer), window_(window), write_(std::move(write)) {}

  int64_t window() const { return window_; }
  std::vector<TokenId> ids(const Given& given) const { return ids_of(given, tokenizer_); }
  int64_t count(const Given& given) const { return static_cast<int64_t>(ids(given).size()); }
  // Runs the model, and adds to the costs.
  Written write(const Given& prompt, int64_t max_tokens);

  const Usage& usage() const { return usage_; }
  int64_t n_runs() const { return n_runs_; }

 private:
  const text::Tokenizer& tokenizer_;
  int64_t window_;
  Write write_;
  Usage usage_;
  int64_t n_runs_ = 0;
};

void add_to(Usage& sum, const Usage& part);

}  // namespace kelda::context
