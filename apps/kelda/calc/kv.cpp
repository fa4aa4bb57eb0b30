// kelda calc kv: the KV cache in bytes.
#include "calc/kv.h"

#include <algorithm>
#include <memory>

#include "apps/kelda/calc/calculator.h"
#include "apps/kelda/calc/subject.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/terminal/style.h"
#include "base/error.h"
#include "calc/exact.h"
#include "calc/memory.h"
#include "measure/kv_allocation.h"

namespace kelda::cli {
namespace {

struct Arguments {
  SubjectArguments subject;
  int64_t tokens = 0;  // 0: the model's window, or 4,096
  int64_t sequences = 1;
};

bool has_windows(const KvShape& kv) {
  return std::any_of(kv.windows.begin(), kv.windows.end(), [](int64_t w) { return w > 0; });
}

void tell_windows(const KvShape& kv, Report& report) {
  if (!has_windows(kv)) return;
  int64_t windowed = 0, window = 0;
  for (const int64_t w : kv.windows) {
    windowed += w > 0;
    window = std::max(window, w);
  }
  report.given("/windowed_layers", "layers with a window", count_of(static_cast<uint64_t>(windowed)));
  report.given("/window", "their window, in tokens", count_of(static_cast<uint64_t>(window)));
}

// What fewer KV heads save: all query heads with their own, as it is, one for all.
void tell_heads(const Subject& s, calc::Storage storage, Report& report) {
  const int64_t n_heads = s.config.n_heads;
  if (n_heads <= 1) return;
  report.heading("A token by KV heads");
  const auto row = [&](const char* key, const std::string& label, int64_t n_kv_heads) {
    KvShape kv = s.kv_shape();
    kv.n_kv_heads = n_kv_heads;
    report.result(key, label, bytes_of(calc::kv_need(kv, storage, 1, 1).token));
  };
  row("/by_kv_heads/mha", fmt::format("{}: one for each query head (MHA)", n_heads), n_heads);
  if (s.config.n_kv_heads != n_heads && s.config.n_kv_heads != 1)
    row("/by_kv_heads/gqa", fmt::format("{}: as here (GQA)", s.config.n_kv_heads), s.config.n_kv_heads);
  row("/by_kv_heads/mqa", "1: one for all (MQA)", 1);
}

void tell_formats(const Arguments& a, const KvShape& kv, Report& report) {
  report.heading(
      "The batch by format of keys and values (*: what it would take, this build has no such cache)");
  for (const calc::KvFormat& f : calc::kv_formats()) {
    const std::string at = "/formats/" + std::string(f.name);
    const calc::KvNeed need = calc::kv_need(kv, f.storage, a.tokens, a.sequences);
    report.result(at + "/batch_bytes", fmt::format("{}{}: {}", f.name, f.type ? "" : "*", f.what),
                  bytes_of(need.batch));
    report.result(at + "/token_bytes", "    one token", bytes_of(need.token));
  }
}

void tell_growth(const Arguments& a, const KvShape& kv, calc::Storage storage, Report& report) {
  report.heading(has_windows(kv) ? "One sequence by length (a layer with a window keeps no more than that)"
                                 : "One sequence by length");
  for (int64_t n = std::min<int64_t>(256, a.tokens);; n = std::min(2 * n, a.tokens)) {
    const calc::KvNeed need = calc::kv_need(kv, storage, n, 1);
    const std::string at = fmt::format("/growth/{}", n);
    report.result(at + "/bytes", grouped(static_cast<uint64_t>(n)) + " tokens", bytes_of(need.sequence));
    if (has_windows(kv))
      report.result(at + "/bytes_without_windows", "    without windows", bytes_of(need.unwindowed));
    if (n == a.tokens) break;
  }
}

Amount allocated(const Arguments& a, const KvShape& kv, int64_t n_sequences, Report& report) {
  try {
    return bytes_of(measure::allocated_kv_bytes(kv, a.tokens, n_sequences));
  } catch (const Error& e) {
    report.note(fmt::format("{} sequences were not measured: {}", n_sequences, e.what()));
    return {};
  }
}

int run(Arguments a) {
  const Subject s = subject_of(a.subject, /*decoder=*/true);
  require_kv_shape(s);
  const KvShape kv = s.kv_shape();
  const calc::Storage storage = s.is_model() ? calc::Storage{1, element_bytes(kv.type)} : s.weight_storage;
  if (a.tokens == 0) a.tokens = s.is_model() ? s.config.n_ctx_train : 4096;
  Report report(
      "kv",
      {"bytes of a token = 2 (key and value) × layers × KV heads × head width × bytes of a number",
       "bytes of a sequence = Σ over layers of min(tokens, the layer's window) × bytes of a token in it"});
  tell_sizes(s, report);
  report.given("/bits", "bits of a number", number_of(storage.bits()));
  tell_windows(kv, report);
  report.given("/tokens", "tokens of a sequence", count_of(static_cast<uint64_t>(a.tokens)));
  report.given("/sequences", "sequences", count_of(static_cast<uint64_t>(a.sequences)));
  const calc::KvNeed need = calc::kv_need(kv, storage, a.tokens, a.sequences);
  report.result("/token_bytes", "one token", bytes_of(need.token));
  report.result("/sequence_bytes", "one sequence", bytes_of(need.sequence));
  report.result("/batch_bytes", "all sequences", bytes_of(need.batch));
  if (s.is_model()) {
    report.result("/allocated_bytes", "one sequence in blocks of 64 tokens, at most",
                  bytes_of(calc::kv_allocated_bytes(kv, a.tokens)), allocated(a, kv, 1, report));
    if (a.sequences > 1) {
      const uint64_t all = calc::times("the bytes of the KV cache", calc::kv_allocated_bytes(kv, a.tokens),
                                       static_cast<uint64_t>(a.sequences));
      report.result("/allocated_batch_bytes", "all sequences in blocks, at most", bytes_of(all),
                    allocated(a, kv, a.sequences, report));
    }
  }
  tell_heads(s, storage, report);
  tell_formats(a, kv, report);
  tell_growth(a, kv, storage, report);
  report.print(a.subject.json);
  return 0;
}

std::function<int()> setup(CLI::App& app) {
  auto a = std::make_shared<Arguments>();
  add_subject(app, a->subject,
              {ShapeOption::kLayers, ShapeOption::kWidth, ShapeOption::kHeads, ShapeOption::kKvHeads,
               ShapeOption::kHeadDim, ShapeOption::kWindow, ShapeOption::kBytes},
              "a number in the cache");
  allow_integers(*app.add_option("--tokens", a->tokens,
                                 "Tokens of a sequence; unless given, the model's window, or 4096"),
                 1, int64_t{1} << 40);
  allow_integers(*app.add_option("--sequences", a->sequences, "Sequences at once")->capture_default_str(), 1,
                 1'000'000'000);
  return [a] { return run(*a); };
}

}  // namespace

const Calculator& kv_calculator() {
  static const Calculator c{"kv", "Bytes of the KV cache: by token, sequence, batch, heads, format", setup};
  return c;
}

}  // namespace kelda::cli
