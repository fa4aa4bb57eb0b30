// kelda tokenize: text to the ids that a model reads.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/kelda/command.h"
#include "apps/kelda/generation.h"
#include "apps/kelda/json_lines.h"
#include "apps/kelda/session.h"
#include "apps/kelda/terminal/say.h"
#include "apps/kelda/terminal/standard_input.h"
#include "apps/kelda/terminal/style.h"
#include "apps/kelda/token_text.h"
#include "apps/kelda/tokenizer_source.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/thread_pool.h"

namespace kelda::cli::tokenize {
namespace {

constexpr uint64_t kMaxTextBytes = 1 << 30;

struct Arguments {
  std::string model, special = "parse";
  std::optional<std::string> text, text_option;
  bool jsonl = false, json = false, ids = false, add_special = false;
  int threads = 0;
};

text::Special special_of(const Arguments& a) {
  return a.special == "parse" ? text::Special::kParse : text::Special::kText;
}

std::string document(const Arguments& a) {
  if (a.text && a.text_option)
    fail(ErrorCode::kUsage, "the text is given twice: as an argument and with --text");
  const auto& given = a.text_option ? a.text_option : a.text;
  if (given && *given != "-") return *given;
  if (!given && is_terminal(Stream::kIn))
    fail(ErrorCode::kUsage, "no text: give it as an argument, with --text, or on stdin with '-'");
  return read_stdin(kMaxTextBytes);
}

std::vector<TokenId> encode(const text::Tokenizer& tokenizer, std::string_view text, const Arguments& a) {
  return a.add_special ? tokenizer.encode_prompt(text, special_of(a)).ids
                       : tokenizer.encode(text, special_of(a));
}

// A document a line; several at a time, so that all threads have work.
int encode_lines(const text::Tokenizer& tokenizer, const Arguments& a) {
  ThreadPool pool(a.threads > 0 ? a.threads : usable_processors());
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  read_json_strings(kAny, BeforeFault::kTake, [&](const std::vector<std::string>& batch) {
    const std::vector<std::string_view> documents(batch.begin(), batch.end());
    std::string out;
    if (a.add_special) {
      for (const std::string_view d : documents)
        out += fmt::format("[{}]\n", fmt::join(encode(tokenizer, d, a), ","));
    } else {
      for (const auto& ids : tokenizer.encode_all(documents, special_of(a), pool))
        out += fmt::format("[{}]\n", fmt::join(ids, ","));
    }
    write_out(out);
  });
  return 0;
}

void print_for_people(const text::Tokenizer& tokenizer, std::span<const TokenId> ids) {
  if (has_color(Stream::kOut)) fmt::print("{}\n\n", coloured_tokens(tokenizer, ids));
  for (const TokenId id : ids) fmt::print("{:>8}  {}\n", id, shown_piece(tokenizer, id));
  say("{}\n", counted(static_cast<int64_t>(ids.size()), "token"));
}

int run(const Arguments& a) {
  const auto tokenizer = load_tokenizer(a.model);
  if (a.jsonl) return encode_lines(*tokenizer, a);
  const std::vector<TokenId> ids = encode(*tokenizer, document(a), a);
  if (a.ids) {
    write_out(fmt::format("{}\n", fmt::join(ids, " ")));
  } else if (a.json) {
    nlohmann::json pieces = nlohmann::json::array();
    for (const TokenId id : ids) pieces.push_back(shown_piece(*tokenizer, id));
    write_out(nlohmann::json{{"ids", ids}, {"pieces", pieces}, {"count", ids.size()}}.dump() + "\n");
  } else {
    print_for_people(*tokenizer, ids);
  }
  return 0;
}

}  // namespace

const Command& command() {
  static const Command c{
      "tokenize", "Show the tokens of a text", [](CLI::App& app) -> std::function<int()> {
        auto a = std::make_shared<Arguments>();
        add_model_name(app, a->model);
        auto* text = app.add_option("text", a->text, "The text; '-' reads it from stdin");
        auto* text_option =
            app.add_option("--text", a->text_option, "The text, where it could be taken for something else");
        app.add_option(
               "--special", a->special,
               "parse: special tokens written in the text count as such; text: their letters are plain text")
            ->check(CLI::IsMember({"parse", "text"}))
            ->capture_default_str();
        app.add_flag("--add-special", a->add_special,
                     "With BOS and EOS where the model's file asks for them");
        auto* ids = app.add_flag("--ids", a->ids, "Print the ids alone, in one line");
        auto* json = app.add_flag("--json", a->json, "Print one JSON object: ids, pieces, count");
        auto* jsonl =
            app.add_flag("--jsonl", a->jsonl,
                         "Read one JSON string per line of stdin, print one JSON list of ids per line");
        ids->excludes(json)->excludes(jsonl);
        json->excludes(jsonl);
        jsonl->excludes(text)->excludes(text_option);
        app.add_option("--threads,-t", a->threads,
                       "Threads for --jsonl; 0 uses the processors of this process")
            ->check(CLI::Range(0, 1024));
        return [a] { return run(*a); };
      }};
  return c;
}

}  // namespace kelda::cli::tokenize
