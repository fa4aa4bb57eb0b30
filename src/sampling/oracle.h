// For the textbook forms of samplers alone: an oracle is written with other means than what it judges, and
// its results are compared with a tolerance or by chi-square. The C library's functions, and a text in one
// piece.
#pragma once

#include <cstdint>
#include <vector>

#include "sampling/sampler.h"

namespace kelda::sampling::oracle {

double exp(double x);
double log(double x);
double log2(double x);
double pow(double x, double y);

// The last `window` tokens of what was said, −1: all; with the prompt, or the output alone.
std::vector<TokenId> text_of(const TextbookPast& past, int64_t window, bool with_prompt);

}  // namespace kelda::sampling::oracle
