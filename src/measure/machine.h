// The speeds that the roofline divides by, measured bit by bit so that they can take turns with what they are
// to predict. Each is the best so far: what the machine does when nobody disturbs it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "measure/bandwidth.h"
#include "measure/rates.h"

namespace kelda::measure {

// Of a decoder: the formats it multiplies with, the heads it attends with.
struct Needs {
  std::vector<const quant::FormatSpec*> formats;
  KvType kv_type = KvType::kF16;
  int64_t n_heads = 0, n_kv_heads = 0, head_dim = 0;  // n_heads 0: no attention
};

class Machine {
 public:
  // The pool outlives it. Throws kOutOfMemory.
  Machine(Exec exec, const Needs& needs);

  // A few passes of everything, some 50 ms in all.
  void round();

  double bytes_per_s() const { return bytes_per_s_; }
  double macs_per_s(const quant::FormatSpec& format) const;  // of one token; 0 for a format not asked for
  double attention_macs_per_s() const { return attention_; }
  double int8_peak() const { return int8_peak_; }  // multiply-adds of q8_0 and 32 tokens
  double region_seconds() const { return region_seconds_; }

 private:
  struct Format {
    const quant::FormatSpec* spec;
    MatmulRate rate;
    double best = 0;
  };
  ThreadPool& pool_;
  ReadBandwidth memory_;
  std::vector<Format> formats_;
  MatmulRate int8_;
  std::unique_ptr<AttentionRate> attention_rate_;
  double bytes_per_s_ = 0, attention_ = 0, int8_peak_ = 0, region_seconds_ = 1;
};

}  // namespace kelda::measure
