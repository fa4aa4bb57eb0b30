// kelda logits: the model's raw next-token distribution at chosen positions of a text.
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/kelda/command.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/output_file.h"
#include "apps/kelda/session.h"
#include "base/error.h"
#include "base/naming.h"
#include "base/quote.h"
#include "config/knob.h"
#include "sampling/chain.h"

namespace kelda::cli::logits {
namespace {

struct Arguments {
  ModelArguments model;
  std::string ids, text, ids_file, raw_out, positions = "last";
  int top = 10;
  bool json = false, special = false;
};

// Numbers with a comma or blanks between them. A comma stands between two numbers: what is missing beside it
// is an error.
std::vector<int64_t> parse_integers(std::string_view list, std::string_view what) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<int64_t> numbers;
  const auto skip_blanks = [&] {
    list.remove_prefix(std::min(list.find_first_not_of(kBlanks), list.size()));
  };
  bool after_comma = false;
  for (skip_blanks(); !list.empty() || after_comma; skip_blanks()) {
    const std::size_t end = std::min(list.find_first_of(", \t\r"), list.size());
    if (end == 0) fail(ErrorCode::kUsage, "{}: a number is missing beside a comma", what);
    numbers.push_back(parse_integer(list.substr(0, end), what));
    list.remove_prefix(end);
    skip_blanks();
    after_comma = list.starts_with(',');
    if (after_comma) list.remove_prefix(1);
  }
  return numbers;
}

// Which positions of n are wanted: "last", "all" or a list of numbers.
std::vector<int64_t> parse_positions(const std::string& spec, int64_t n) {
  if (spec == "last") return {n - 1};
  std::vector<int64_t> wanted;
  if (spec == "all") {
    for (int64_t i = 0; i < n; ++i) wanted.push_back(i);
    return wanted;
  }
  for (const int64_t p : parse_integers(spec, "--positions")) {
    if (p < 0 || p >= n) fail(ErrorCode::kUsage, "--positions: {} is outside the prompt (0 to {})", p, n - 1);
    wanted.push_back(p);
  }
  if (wanted.empty()) fail(ErrorCode::kUsage, "--positions: no position is named");
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

// Ids separated by blanks or commas, each of the vocabulary.
std::vector<TokenId> parse_ids(std::string_view list, std::string_view what, const Model& model) {
  std::vector<TokenId> ids;
  for (const int64_t id : parse_integers(list, what)) {
    if (id < 0 || id >= model.config().vocab_size) {
      fail(ErrorCode::kUsage, "{}: token id {} is outside the vocabulary (0 to {})", what, id,
           model.config().vocab_size - 1);
    }
    ids.push_back(static_cast<TokenId>(id));
  }
  return ids;
}

void print(const Arguments& a, const Model& model, int64_t pos, std::span<const float> row,
           nlohmann::json& out) {
  const auto best = sampling::top_logprobs(row, static_cast<std::size_t>(a.top));
  if (a.json) {
    nlohmann::json ids = nlohmann::json::array(), logprobs = nlohmann::json::array();
    for (const auto& b : best) {
      ids.push_back(b.id);
      logprobs.push_back(b.logprob);
    }
    out["positions"].push_back({{"pos", pos}, {"ids", ids}, {"logprobs", logprobs}});
    return;
  }
  fmt::print("position {}\n", pos);
  for (const auto& b : best) {
    fmt::print("  {:>8}  {:>10.5f}  {:>7.4f}  {}\n", b.id, b.logprob, std::exp(b.logprob),
               quote(model.tokenizer().bytes(b.id, true)));
  }
}

// Every position of every line of ids, as raw float32: for comparing two engines or two paths.
void write_raw(const Arguments& a, Runner& runner) {
  std::istringstream lines(read_text(a.ids_file, 64 << 20));
  AtomicFile out(a.raw_out);
  int64_t positions = 0, line_number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++line_number;
    const std::string where = fmt::format("{} line {}", a.ids_file, line_number);
    const auto ids = parse_ids(line, where, runner.model());
    if (ids.empty()) continue;
    naming(where, [&] { runner.require_fits(static_cast<int64_t>(ids.size())); });
    runner.all_logits(ids, 64, [&](int64_t, std::span<const float> row) {
      out.write(std::as_bytes(row));
      ++positions;
    });
  }
  out.commit();
  fmt::print("n_vocab {}\npositions {}\n", runner.model().config().vocab_size, positions);
}

int run(const Arguments& a) {
  if (a.ids.empty() && a.text.empty() && a.ids_file.empty()) {
    fail(ErrorCode::kUsage, "no tokens: give --ids, --text or --ids-file");
  }
  refuse_to_overwrite("--raw-out", a.raw_out, hub::resolve(a.model.model).path, {a.ids_file});
  Session session(a.model);
  if (!a.ids_file.empty()) {
    write_raw(a, session.runner());
    return 0;
  }
  const Model& model = session.model();
  const auto special = a.special ? text::Special::kParse : text::Special::kText;
  const auto ids = a.text.empty() ? parse_ids(a.ids, "--ids", model)
                                  : model.tokenizer().encode_prompt(a.text, special).ids;
  if (ids.empty()) fail(ErrorCode::kUsage, "no tokens: the list or the text is empty");
  const auto wanted = parse_positions(a.positions, static_cast<int64_t>(ids.size()));
  nlohmann::json out = {{"positions", nlohmann::json::array()}};
  session.runner().all_logits(ids, 64, [&](int64_t pos, std::span<const float> row) {
    if (std::binary_search(wanted.begin(), wanted.end(), pos)) print(a, model, pos, row, out);
  });
  if (a.json) fmt::print("{}\n", out.dump());
  return 0;
}

}  // namespace

const Command& command() {
  static const Command c{
      "logits", "Show the next-token distribution at positions of a text",
      [](CLI::App& app) -> std::function<int()> {
        auto a = std::make_shared<Arguments>();
        add_model_arguments(app, a->model);
        auto* ids = app.add_option("--ids", a->ids, "Token ids, separated by commas");
        auto* text = app.add_option("--text", a->text, "Text, tokenised as the model's file says");
        auto* special =
            app.add_flag("--special", a->special, "Special tokens written in --text count as such")
                ->needs(text);
        auto* top =
            app.add_option("--top", a->top, "How many of the best tokens to show")->capture_default_str();
        allow_integers(*top, 1, 1 << 20);
        auto* positions =
            app.add_option("--positions", a->positions,
                           "last, all, or positions separated by commas; each is told once, in rising order")
                ->capture_default_str();
        auto* json = app.add_flag("--json", a->json, "Print JSON");
        auto* file = app.add_option("--ids-file", a->ids_file,
                                    "A file of prompts, one a line, as ids separated by blanks");
        auto* raw = app.add_option("--raw-out", a->raw_out,
                                   "With --ids-file: write float32 logits of every position to this file");
        file->needs(raw);
        raw->needs(file);
        for (auto* given : {ids, text, positions, file, raw}) refuse_empty(*given);
        ids->excludes(text);
        for (auto* other : {ids, text, special, top, positions, json}) file->excludes(other);
        return [a] { return run(*a); };
      }};
  return c;
}

}  // namespace kelda::cli::logits
