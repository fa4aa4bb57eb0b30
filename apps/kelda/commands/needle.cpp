// kelda needle: facts planted in long texts, and how many of them a model finds again.
#include "measure/needle.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/kelda/chat/template_option.h"
#include "apps/kelda/command.h"
#include "apps/kelda/generation.h"
#include "apps/kelda/heat_map.h"
#include "apps/kelda/knob_options.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/output_file.h"
#include "apps/kelda/session.h"
#include "apps/kelda/terminal/progress_bar.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/style.h"
#include "base/error.h"
#include "base/file.h"
#include "base/naming.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "context/engine_write.h"
#include "context/fit.h"
#include "measure/wilson.h"
#include "sampling/request_knobs.h"

namespace kelda::cli::needle {
namespace {

constexpr int64_t kAnswerTokens = 24;
constexpr int64_t kMostByDefault = 8192;  // tokens: longer texts take hours on a CPU
constexpr uint64_t kMaxTextBytes = 64 << 20;
constexpr std::size_t kMostDepths = 20, kMostLengths = 20;

// The knobs that may be set beside what the measurement needs. Not context_keep: the question stands last,
// and what cuts it off measures nothing.
std::vector<const Knob*> policy_rows() {
  std::vector<const Knob*> rows;
  for (const Knob* row : sampling::request_knobs()) {
    if (row->name == "context_policy" || row->name == "split_overlap") rows.push_back(row);
  }
  return rows;
}

struct Arguments {
  ModelArguments model;
  std::string depths = "0,25,50,75,100", lengths, chat_template, text_file, html;
  int64_t n_facts = 20, seed = 1;
  bool json = false;
  std::vector<const Knob*> rows = policy_rows();
  Knobs knobs{sampling::request_knobs()};
};

std::vector<int64_t> parse_list(const std::string& list, std::string_view flag, int64_t lo, int64_t hi,
                                std::size_t most) {
  std::vector<int64_t> numbers;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const int64_t number = parse_integer(std::string_view(list).substr(at, end - at), flag);
    if (number < lo || number > hi)
      fail(ErrorCode::kUsage, "{}: must be in [{}, {}]; got {}", flag, lo, hi, number);
    if (!numbers.empty() && number <= numbers.back())
      fail(ErrorCode::kUsage, "{}: must ascend; {} comes after {}", flag, number, numbers.back());
    numbers.push_back(number);
    at = end + 1;
  }
  if (numbers.size() > most) fail(ErrorCode::kUsage, "{}: at most {} are possible", flag, most);
  return numbers;
}

measure::NeedlePlan plan_of(const Arguments& a, int64_t window) {
  if (a.knobs.is_set("split_overlap") && a.knobs.text("context_policy") != "split")
    fail(ErrorCode::kUsage, "--split-overlap goes with --context-policy split");
  measure::NeedlePlan plan;
  for (const int64_t percent : parse_list(a.depths, "--depths", 0, 100, kMostDepths))
    plan.depths.push_back(static_cast<double>(percent) / 100);
  plan.n_facts = static_cast<std::size_t>(a.n_facts);
  plan.seed = static_cast<uint64_t>(a.seed);
  if (a.lengths.empty()) {
    const int64_t longest = std::min(window, kMostByDefault);
    plan.lengths = {longest / 8, longest / 4, longest / 2, longest};
    return plan;
  }
  plan.lengths = parse_list(a.lengths, "--lengths", 1, int64_t{1} << 30, kMostLengths);
  if (plan.lengths.back() > window && a.knobs.text("context_policy") == "refuse") {
    fail(ErrorCode::kUsage,
         "--lengths: {} is beyond the window of {}; --context-policy says what becomes of such a text",
         plan.lengths.back(), window);
  }
  return plan;
}

// Asks the model, and keeps the cost.
class Examinee {
 public:
  Examinee(const Arguments& a, Session& session, const InterruptGuard& interrupt)
      : session_(session),
        interrupt_(interrupt),
        template_(choose_template(a.chat_template, session.model())),
        knobs_(a.knobs),
        engine_(session.runner(), {.prefill_chunk = kPrefillChunk, .kept_sequences = 2}),
        write_(context::engine_write(engine_, [this] { return interrupt_.interrupted(); })) {
    knobs_.set("temperature", 0.0, "needle");
    knobs_.set("max_tokens", kAnswerTokens, "needle");
    knobs_.set("answer_room", kAnswerTokens, "needle");
    settings_ = context::settings_of(knobs_, engine_.window(), /*streams=*/false);
    if (!a.model.quiet) tell_findings(*template_);
  }

  int64_t n_tokens(const std::string& message) const {
    return static_cast<int64_t>(context::ids_of(given(message), session_.model().tokenizer()).size()) +
           kAnswerTokens;
  }

  // Throws kInterrupted where a signal came meanwhile.
  std::string answer(const measure::NeedleQuestion& question) {
    if (question.document != document_) written_.clear();
    document_ = question.document;
    context::Means means(session_.model().tokenizer(), engine_.window(),
                         [this](std::vector<TokenId> prompt, int64_t max_tokens) {
                           return write_once(std::move(prompt), max_tokens);
                         });
    const context::Fitted fitted = context::fit(given(question.message), settings_, means);
    Answer answer = generate(
        engine_, {fitted.prompt, knobs_}, interrupt_, [](std::string_view) {},
        [](const Engine::Admitted&) {});
    if (answer.last.finish == FinishReason::kError) fail(answer.last.error_code, "{}", answer.last.error);
    if (answer.last.finish == FinishReason::kCancelled) fail(ErrorCode::kInterrupted, "stopped");
    context::add_to(usage_, answer.last.usage);
    n_cached_ += answer.last.context.prompt_cached;
    return answer.text;
  }

  nlohmann::json usage_json() const {
    return {{"prompt_tokens", usage_.prompt_tokens},
            {"prompt_cached", n_cached_},
            {"completion_tokens", usage_.completion_tokens},
            {"passes", usage_.passes}};
  }

 private:
  context::Given given(const std::string& message) const {
    return {.conversation = chat::conversation_of({{"user", message}}), .chat_template = template_};
  }

  // Questions about one text may make a policy write the same again: the same prompt has the same answer.
  context::Written write_once(std::vector<TokenId> prompt, int64_t max_tokens) {
    const auto key = std::pair(prompt, max_tokens);
    if (const auto known = written_.find(key); known != written_.end()) return known->second;
    context::Written written = write_(std::move(prompt), max_tokens);
    context::add_to(usage_, written.usage);
    written_.emplace(key, written);
    return written;
  }

  Session& session_;
  const InterruptGuard& interrupt_;
  std::shared_ptr<const chat::ChatTemplate> template_;
  Knobs knobs_;
  Engine engine_;
  context::Write write_;
  context::Settings settings_;
  Usage usage_;
  int64_t n_cached_ = 0;
  std::size_t document_ = 0;
  std::map<std::pair<std::vector<TokenId>, int64_t>, context::Written> written_;  // of that text
};

nlohmann::json recall_json(const measure::Recall& recall) {
  const measure::Interval interval = measure::wilson_95(recall.n_right, recall.n);
  return {{"n", recall.n},
          {"right", recall.n_right},
          {"recall", static_cast<double>(recall.n_right) / static_cast<double>(recall.n)},
          {"low", interval.low},
          {"high", interval.high},
          {"confused", recall.n_confused}};
}

HeatMap::Cell cell_of(const measure::Recall& recall) {
  const measure::Interval interval = measure::wilson_95(recall.n_right, recall.n);
  const double share = static_cast<double>(recall.n_right) / static_cast<double>(recall.n);
  return {share,
          fmt::format("{:.0f} % [{:.0f}-{:.0f}]", share * 100, interval.low * 100, interval.high * 100)};
}

HeatMap heat_map(const Arguments& a, const measure::NeedlePlan& plan, const measure::NeedleScore& score,
                 const Session& session, int64_t window) {
  HeatMap map;
  map.title = "Facts found again";
  const std::string name = escape_controls(session.model().config().name);
  map.notes = {fmt::format("{}, window {}, context_policy {}, {} per cell, seed {}",
                           name.empty() ? a.model.model : name, window, a.knobs.text("context_policy"),
                           counted(a.n_facts, "fact"), a.seed),
               "In brackets: 95 % intervals (Wilson). Depth 0 is the beginning of the text."};
  map.corner = "depth \\ tokens";
  for (const int64_t length : plan.lengths) map.columns.push_back(fmt::format("{}", length));
  map.columns.emplace_back("all");
  for (std::size_t d = 0; d < plan.depths.size(); ++d) {
    map.rows.push_back(fmt::format("{:.0f} %", plan.depths[d] * 100));
    auto& row = map.cells.emplace_back();
    for (std::size_t l = 0; l < plan.lengths.size(); ++l) row.push_back(cell_of(score.cell(l, d)));
    row.push_back(cell_of(score.of_depth(d)));
  }
  map.rows.emplace_back("all");
  auto& last = map.cells.emplace_back();
  for (std::size_t l = 0; l < plan.lengths.size(); ++l) last.push_back(cell_of(score.of_length(l)));
  last.push_back(cell_of(score.all()));
  return map;
}

nlohmann::json report_json(const Arguments& a, const measure::NeedlePlan& plan,
                           const measure::NeedleScore& score, const Session& session, int64_t window,
                           nlohmann::json questions) {
  nlohmann::json cells = nlohmann::json::array(), lengths = nlohmann::json::array(),
                 depths = nlohmann::json::array();
  const auto with = [](nlohmann::json base, const measure::Recall& recall) {
    base.update(recall_json(recall));
    return base;
  };
  for (std::size_t l = 0; l < plan.lengths.size(); ++l) {
    for (std::size_t d = 0; d < plan.depths.size(); ++d)
      cells.push_back(with({{"length", plan.lengths[l]}, {"depth", plan.depths[d]}}, score.cell(l, d)));
    lengths.push_back(with({{"length", plan.lengths[l]}}, score.of_length(l)));
  }
  for (std::size_t d = 0; d < plan.depths.size(); ++d)
    depths.push_back(with({{"depth", plan.depths[d]}}, score.of_depth(d)));
  return {{"model", session.model().config().name},
          {"window", window},
          {"policy", a.knobs.text("context_policy")},
          {"seed", a.seed},
          {"facts", a.n_facts},
          {"filler", a.text_file.empty() ? nlohmann::json() : nlohmann::json(a.text_file)},
          {"cells", std::move(cells)},
          {"by_length", std::move(lengths)},
          {"by_depth", std::move(depths)},
          {"all", recall_json(score.all())},
          {"questions", std::move(questions)}};
}

measure::Filler filler_of(const Arguments& a) {
  if (a.text_file.empty()) return measure::Filler(static_cast<uint64_t>(a.seed));
  const std::string text = read_text(a.text_file, kMaxTextBytes);
  return naming(a.text_file, [&] {
    if (const auto bad = first_invalid_utf8(text))
      fail(ErrorCode::kBadInput, "invalid UTF-8 at byte {}", *bad);
    return measure::Filler(text);
  });
}

int run(const Arguments& a) {
  parse_list(a.depths, "--depths", 0, 100, kMostDepths);
  const measure::Filler filler = filler_of(a);
  Session session(a.model);
  refuse_to_overwrite("--html", a.html, session.resolved().path, {a.text_file});
  const int64_t window = session.runner().window();
  const measure::NeedlePlan plan = plan_of(a, window);
  std::optional<AtomicFile> page;
  if (!a.html.empty()) page.emplace(a.html);
  const InterruptGuard interrupt;
  Examinee examinee(a, session, interrupt);
  measure::NeedleScore score(plan);
  nlohmann::json questions = nlohmann::json::array();
  ProgressBar bar(ProgressBar::mode(a.model.quiet), "questions");
  const uint64_t n = measure::n_questions(plan);
  uint64_t n_asked = 0;
  const auto ask = [&](const measure::NeedleQuestion& q) {
    bar.update("needle", n_asked, 0, n);
    const std::string answer = examinee.answer(q);
    const bool right = score.add(q, answer);
    ++n_asked;
    if (a.json)
      questions.push_back({{"length", plan.lengths[q.length]},
                           {"depth", plan.depths[q.depth]},
                           {"name", q.fact.name},
                           {"code", q.fact.code},
                           {"answer", answer},
                           {"right", right}});
  };
  try {
    measure::ask_needles(
        plan, filler, [&](const std::string& m) { return examinee.n_tokens(m); }, ask);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kInterrupted) throw;
    bar.clear();
    say("kelda: stopped after {} of {} questions; nothing is written\n", n_asked, n);
    return interrupt.exit_status();
  }
  bar.clear();
  const HeatMap map = heat_map(a, plan, score, session, window);
  if (page) {
    page->write(heat_map_html(map));
    page->commit();
  }
  if (!a.json) {
    write_out(heat_map_text(map, has_color(Stream::kOut)));
    return 0;
  }
  nlohmann::json out = report_json(a, plan, score, session, window, std::move(questions));
  out["usage"] = examinee.usage_json();
  write_out(out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  return 0;
}

}  // namespace

const Command& command() {
  static const Command c{
      "needle", "Measure how well a model finds facts in long texts",
      [](CLI::App& app) -> std::function<int()> {
        auto a = std::make_shared<Arguments>();
        add_model_arguments(app, a->model);
        add_chat_template_option(app, a->chat_template);
        app.add_option(
               "--lengths", a->lengths,
               "Tokens that a text, its question and the answer take, ascending; without it an eighth, a "
               "quarter, half and all of the window, or of 8192 where that is less")
            ->type_name("N,N,...");
        app.add_option("--depths", a->depths, "Where facts stand in the text, in per cent of it, ascending")
            ->type_name("N,N,...")
            ->capture_default_str();
        allow_integers(*app.add_option("--facts", a->n_facts, "Facts that are asked at each depth and length")
                            ->capture_default_str(),
                       1, 1000);
        allow_integers(
            *app.add_option("--seed", a->seed, "What facts and texts are made from")->capture_default_str(),
            0, (int64_t{1} << 53) - 1);
        refuse_empty(
            *app.add_option("--text", a->text_file, "A file of text between the facts, in place of our own")
                 ->type_name("FILE"));
        app.add_flag("--json", a->json, "Print one JSON object: every number, question and answer");
        refuse_empty(*app.add_option("--html", a->html, "Also write the map as a page, whole or not at all")
                          ->type_name("FILE"));
        add_knob_flags(app, a->rows, a->knobs);
        return [a] { return run(*a); };
      }};
  return c;
}

}  // namespace kelda::cli::needle
