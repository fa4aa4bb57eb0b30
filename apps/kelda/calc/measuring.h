// A progress bar over measurements that count tokens.
#pragma once

#include <string>

#include "apps/kelda/terminal/progress_bar.h"
#include "measure/text.h"

namespace kelda::cli {

class TokenProgress {
 public:
  explicit TokenProgress(std::string label)
      : label_(std::move(label)), bar_(ProgressBar::mode(/*quiet=*/false), "token passes") {}

  // What a measurement calls; valid as long as this object.
  measure::Progress told() {
    return [this](int64_t done, int64_t total) {
      bar_.update(label_, static_cast<uint64_t>(done), 0, static_cast<uint64_t>(total));
    };
  }

 private:
  std::string label_;
  ProgressBar bar_;
};

}  // namespace kelda::cli
