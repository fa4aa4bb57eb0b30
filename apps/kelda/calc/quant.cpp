// kelda calc quant: weights in bytes by the number of bits, and of a model as they are stored.
#include <map>
#include <memory>

#include "apps/kelda/calc/calculator.h"
#include "apps/kelda/calc/subject.h"
#include "apps/kelda/option_values.h"
#include "base/error.h"
#include "calc/weight_sizes.h"

namespace kelda::cli {
namespace {

struct Arguments {
  SubjectArguments subject;
  double largest = 1;
};

void tell_sizes_by_bits(int64_t n_parameters, Report& report) {
  report.heading("All parameters at");
  for (const int bits : {16, 8, 4}) {
    const calc::WeightSize size = calc::weight_size(n_parameters, bits);
    const std::string at = fmt::format("/bits/{}", bits);
    report.result(at + "/nominal_bytes", fmt::format("{} bits", bits), bytes_of(size.nominal_bytes));
    if (bits < 16)
      report.result(at + "/scaled_bytes", "    with an fp16 scale per 32", bytes_of(size.scaled_bytes));
  }
  report.note(
      "the nominal size leaves out the scales that the codes of 8 and 4 bits need to mean anything: with one "
      "fp16 "
      "scale per 32 weights it is half a bit more per weight");
}

void tell_steps(double largest, Report& report) {
  report.heading("Distance of neighbouring codes");
  for (const int bits : {8, 4}) {
    report.result(fmt::format("/bits/{}/step", bits),
                  fmt::format("int{}: largest / {}", bits, (1 << (bits - 1)) - 1),
                  number_of(calc::code_step(bits, largest)));
  }
}

// What the file holds, format by format.
void tell_stored(const ModelFile& file, Report& report) {
  struct Sum {
    uint64_t weights = 0, bytes = 0;
  };
  std::map<std::string_view, Sum> formats;
  Sum all;
  for (const TensorInfo& t : file.tensors()) {
    for (Sum* sum : {&formats[t.format->name], &all}) {
      sum->weights += static_cast<uint64_t>(t.n_elements());
      sum->bytes += t.bytes;
    }
  }
  report.heading("As the file stores them");
  const auto row = [&](const std::string& at, const std::string& label, const Sum& sum) {
    report.measured(at + "/bytes", label, bytes_of(sum.bytes));
    report.measured(at + "/weights", "    weights", count_of(sum.weights));
    report.measured(at + "/bits_per_weight", "    bits per weight",
                    number_of(8.0 * static_cast<double>(sum.bytes) / static_cast<double>(sum.weights)));
  };
  for (const auto& [name, sum] : formats) row("/formats/" + std::string(name), std::string(name), sum);
  row("/all", "all of them", all);
}

int run(const Arguments& a) {
  const Subject s = subject_of(a.subject, /*decoder=*/false);
  if (s.n_parameters == 0)
    fail(ErrorCode::kUsage, "--params is needed, or --layers, --width, --ffn and --vocab to count them");
  Report report("quant",
                {"bytes = parameters × bits ÷ 8; with scales: parameters ÷ 32 blocks of 4 × bits + 2 bytes",
                 "step = largest weight ÷ (2^(bits − 1) − 1)"});
  tell_sizes(s, report);
  report.given("/largest", "largest weight of a block", number_of(a.largest));
  tell_sizes_by_bits(s.n_parameters, report);
  tell_steps(a.largest, report);
  if (s.is_model()) tell_stored(*s.file, report);
  report.print(a.subject.json);
  return 0;
}

std::function<int()> setup(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  add_subject(app, a->subject,
              {ShapeOption::kLayers, ShapeOption::kWidth, ShapeOption::kHeads, ShapeOption::kKvHeads,
               ShapeOption::kHeadDim, ShapeOption::kFfn, ShapeOption::kVocab, ShapeOption::kParameters});
  allow_numbers(*app.add_option("--largest", a->largest, "The largest weight that shares a scale")
                     ->capture_default_str(),
                0, 1e9);
  return [a] { return run(*a); };
}

}  // namespace

const Calculator& quant_calculator() {
  static const Calculator c{"quant", "Bytes of the weights by bits, and what rounding does", setup};
  return c;
}

}  // namespace kelda::cli
