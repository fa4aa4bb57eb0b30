// What turns a piece of text into ids: the innermost part of a tokenizer.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "learned/vocabulary.h"

namespace kelda::text {

class SubwordModel {
 public:
  virtual ~SubwordModel() = default;

  // One thread's working memory. The model must outlive it.
  class Encoder {
   public:
    virtual ~Encoder() = default;
    // Appends the ids of `piece`, which is valid UTF-8 and not empty.
    virtual void append(std::string_view piece, std::vector<TokenId>& ids) = 0;
  };
  virtual std::unique_ptr<Encoder> encoder() const = 0;
};

}  // namespace kelda::text
