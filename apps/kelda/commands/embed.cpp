// kelda embed: texts to vectors, by an encoder.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/kelda/command.h"
#include "apps/kelda/generation.h"
#include "apps/kelda/json_lines.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/session.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/standard_input.h"
#include "apps/kelda/terminal/style.h"
#include "base/error.h"
#include "engine/embedder.h"

namespace kelda::cli::embed {
namespace {

constexpr uint64_t kMaxTextBytes = 1 << 30;
constexpr std::string_view kModelDefault = "model-default";

struct Arguments {
  ModelArguments model;
  std::vector<std::string> texts;
  std::string input, pooling{kModelDefault};
  bool jsonl = false, json = false, unit_length = false, raw_length = false, truncate = false;
};

Pooling pooling_of(const Arguments& a) {
  return a.pooling == "mean" ? Pooling::kMean : a.pooling == "cls" ? Pooling::kCls : Pooling::kNone;
}

std::optional<bool> normalize_of(const Arguments& a) {
  if (!a.unit_length && !a.raw_length) return std::nullopt;
  return a.unit_length;
}

// Texts on their way to vectors, printed as they come.
class Printer {
 public:
  Printer(const Arguments& a, Embedder& embedder) : a_(a), embedder_(embedder) {}

  // `texts` follow those of the calls before. unit: what one is called where it is refused.
  void print(const std::vector<std::string>& texts, std::string_view unit) {
    std::vector<std::vector<TokenId>> ids;
    std::vector<std::size_t> n_tokens;
    for (const std::string& text : texts) {
      ids.push_back(encode(text, unit, ++n_seen_));
      n_tokens.push_back(ids.back().size());
      cut(ids.back());
    }
    std::string out;
    const auto add = [&](std::size_t i, std::span<const float> vector) {
      if (a_.json) {
        out += fmt::format("{}{{\"tokens\":{},\"read\":{},\"embedding\":[{}]}}", n_printed_++ == 0 ? "" : ",",
                           n_tokens[i], ids[i].size(), fmt::join(vector, ","));
      } else {
        out += fmt::format("[{}]\n", fmt::join(vector, ","));
      }
    };
    try {
      embedder_.embed(ids, add);
    } catch (const Error& e) {  // which counts its own texts
      const std::size_t before = n_seen_ - texts.size();
      if (before == 0) throw;
      fail(e.code(), "after {} {}: {}", unit, before, e.what());
    }
    begin();
    write_out(out);
  }

  void end() {
    begin();
    if (a_.json) write_out("]}\n");
    if (n_cut_ > 0) {
      say("note: {} of {} texts cut to the window of {} tokens; the longest had {}\n", n_cut_, n_seen_,
          embedder_.window(), longest_);
    }
  }

 private:
  // When there is something to print: an error before that leaves no half of an object.
  void begin() {
    if (!a_.json || begun_) return;
    begun_ = true;
    const ModelConfig& c = embedder_.model().config();
    const nlohmann::json name = c.name;
    write_out(fmt::format(
        R"({{"model":{},"pooling":"{}","normalized":{},"dimensions":{},"window":{},"embeddings":[)",
        name.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
        pooling_name(embedder_.pooling()), embedder_.normalizes(), embedder_.width(), embedder_.window()));
  }

  std::vector<TokenId> encode(const std::string& text, std::string_view unit, std::size_t number) const {
    std::vector<TokenId> ids;
    try {
      ids = embedder_.model().tokenizer().encode_prompt(text, text::Special::kText).ids;
    } catch (const Error& e) {
      fail(e.code(), "{} {}: {}", unit, number, e.what());
    }
    if (ids.empty()) fail(ErrorCode::kBadInput, "{} {}: no tokens", unit, number);
    if (!a_.truncate && static_cast<int64_t>(ids.size()) > embedder_.window()) {
      fail(ErrorCode::kContextLength,
           "{} {}: the text has {} tokens and the window is {}: shorten it, or let --truncate cut it", unit,
           number, ids.size(), embedder_.window());
    }
    return ids;
  }

  void cut(std::vector<TokenId>& ids) {
    if (static_cast<int64_t>(ids.size()) <= embedder_.window()) return;
    ++n_cut_;
    longest_ = std::max(longest_, ids.size());
    embedder_.truncate(ids);
  }

  const Arguments& a_;
  Embedder& embedder_;
  bool begun_ = false;
  std::size_t n_seen_ = 0, n_printed_ = 0, n_cut_ = 0, longest_ = 0;
};

void check_sources(const Arguments& a) {
  const bool from_stdin = a.jsonl || !a.input.empty();
  if (from_stdin && !a.texts.empty()) {
    fail(ErrorCode::kUsage, "texts come either from --text or from stdin ('-', --jsonl), not from both");
  }
  if (!from_stdin && a.texts.empty() && is_terminal(Stream::kIn)) {
    fail(ErrorCode::kUsage,
         "no text: give it with --text, or on stdin with '-'; many as lines of JSON with --jsonl");
  }
}

// One text, all of it. An empty one has a vector too, but nobody means it by giving nothing.
std::string text_of_stdin() {
  std::string text = read_stdin(kMaxTextBytes);
  if (text.empty())
    fail(ErrorCode::kUsage, "no text: stdin is empty; the vector of an empty text is that of --text ''");
  return text;
}

// Where texts are cut, something of them must be left.
void check_room(const Embedder& embedder) {
  const std::size_t n_frame = embedder.model().tokenizer().encode_prompt("", text::Special::kText).ids.size();
  if (embedder.window() > static_cast<int64_t>(n_frame)) return;
  fail(ErrorCode::kUsage,
       "--window {} leaves no room for a text beside the {} that stand around each; --truncate needs at "
       "least {}",
       embedder.window(), counted(static_cast<int64_t>(n_frame), "token"), n_frame + 1);
}

int run(const Arguments& a) {
  check_sources(a);
  const auto path = hub::resolve(a.model.model).path;
  const auto pool = make_pool(a.model);
  auto model = load_model(a.model, path, models::Role::kEncoder, *pool);
  Embedder embedder(std::move(model), {pooling_of(a), normalize_of(a), a.model.window}, *pool);
  say_slow_formats(a.model, embedder.model(), choose_kernels());
  if (a.truncate) check_room(embedder);
  Printer printer(a, embedder);
  if (a.jsonl) {
    constexpr std::size_t kTexts = 1024;  // at a time
    // An object is printed whole or not begun, so a fault in the first batch leaves nothing on stdout.
    read_json_strings(kTexts, BeforeFault::kDrop,
                      [&](const std::vector<std::string>& texts) { printer.print(texts, "line"); });
  } else {
    printer.print(a.texts.empty() ? std::vector<std::string>{text_of_stdin()} : a.texts, "text");
  }
  printer.end();
  return 0;
}

}  // namespace

const Command& command() {
  static const Command c{
      "embed", "Turn texts into vectors", [](CLI::App& app) -> std::function<int()> {
        auto a = std::make_shared<Arguments>();
        add_model_arguments(app, a->model, "Tokens that a text may have");
        allow_words(
            *app.add_option("input", a->input, "'-' reads one text from stdin, as is done without --text"),
            {"-"});
        app.add_option("--text", a->texts, "A text; may be given more than once")->allow_extra_args(false);
        app.add_flag("--jsonl", a->jsonl, "Read one JSON string per line of stdin");
        allow_words(
            *app.add_option(
                    "--pooling", a->pooling,
                    "mean of the tokens' vectors, cls for the first one, or what the model's file says")
                 ->capture_default_str(),
            {std::string(kModelDefault), "mean", "cls"});
        auto* unit =
            app.add_flag("--normalize", a->unit_length,
                         "Bring vectors to length 1; also where neither is given, unless the model's "
                         "files say otherwise");
        app.add_flag("--no-normalize", a->raw_length, "Leave vectors as long as they are")->excludes(unit);
        app.add_flag("--truncate", a->truncate, "Cut texts that are longer than the window, and say so");
        app.add_flag("--json", a->json, "Print one JSON object, not a JSON list per text");
        return [a] { return run(*a); };
      }};
  return c;
}

}  // namespace kelda::cli::embed
