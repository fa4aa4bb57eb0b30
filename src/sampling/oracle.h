// The C library's functions, for the textbook forms of samplers alone: an oracle is written with other means
// than what it judges, and its results are compared with a tolerance or by chi-square.
#pragma once

namespace kelda::sampling::oracle {

double exp(double x);
double log(double x);
double log2(double x);
double pow(double x, double y);

}  // namespace kelda::sampling::oracle
