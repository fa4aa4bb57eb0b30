// kelda detokenize: ids back to text.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kelda/command.h"
#include "apps/kelda/generation.h"
#include "apps/kelda/json_lines.h"
#include "apps/kelda/session.h"
#include "apps/kelda/terminal/line_input.h"
#include "apps/kelda/terminal/standard_input.h"
#include "apps/kelda/terminal/style.h"
#include "apps/kelda/token_text.h"
#include "apps/kelda/tokenizer_source.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "base/quote.h"
#include "base/trim.h"

namespace kelda::cli::detokenize {
namespace {

constexpr uint64_t kMaxTextBytes = 1 << 30;

struct Arguments {
  std::string model;
  std::vector<std::string> ids;
  bool jsonl = false, special = false, colour = false;
};

// "1 2 3", "1,2,3" and "[1, 2, 3]" alike.
std::vector<TokenId> parse_ids(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']')
    text = trimmed(text.substr(1, text.size() - 2));
  std::vector<TokenId> ids;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n,"), text.size());
    const auto id = parse_number<TokenId>(text.substr(0, end));
    if (!id)
      fail(ErrorCode::kUsage, "{} is not a token id, in {}", quote(text.substr(0, end)), quote(text, 60));
    ids.push_back(*id);
    text = trimmed(text.substr(end));
    if (!text.starts_with(',')) continue;
    text = trimmed(text.substr(1));
    if (text.empty()) fail(ErrorCode::kUsage, "an id is missing after the last comma");
  }
  return ids;
}

std::vector<TokenId> parse_list(const nlohmann::json& list) {
  if (!list.is_array()) fail(ErrorCode::kBadInput, "one JSON list of ids per line is wanted");
  std::vector<TokenId> ids;
  for (const auto& id : list) {
    if (!id.is_number_integer() || id < 0 || id > std::numeric_limits<TokenId>::max())
      fail(ErrorCode::kBadInput, "{} is not a token id", id.is_number() ? id.dump() : id.type_name());
    ids.push_back(id.get<TokenId>());
  }
  return ids;
}

int decode_lines(const text::Tokenizer& tokenizer, bool show_special) {
  LineInput lines;
  for (std::string line; lines.next(line);) {
    try {
      const auto ids = parse_list(nlohmann::json::parse(line));
      write_out(nlohmann::json(tokenizer.decode(ids, show_special)).dump() + "\n");
    } catch (const nlohmann::json::parse_error& e) {
      fail_json_line(lines.number(), e.byte);
    } catch (const Error& e) {
      fail(e.code(), "line {}: {}", lines.number(), e.what());
    }
  }
  return 0;
}

int run(const Arguments& a) {
  const auto tokenizer = load_tokenizer(a.model);
  if (a.jsonl) return decode_lines(*tokenizer, a.special);
  std::string given = fmt::format("{}", fmt::join(a.ids, " "));
  if (a.ids.empty() && is_terminal(Stream::kIn))
    fail(ErrorCode::kUsage, "no ids: give them as arguments, or on stdin with '-'");
  if (a.ids.empty() || given == "-") given = read_stdin(kMaxTextBytes);
  const std::vector<TokenId> ids = parse_ids(given);
  if (a.colour) {
    tokenizer->decode(ids, a.special);  // an id that is none is an error here too
    write_out(coloured_tokens(*tokenizer, ids) + "\n");
    return 0;
  }
  write_out(tokenizer->decode(ids, a.special));
  if (is_terminal(Stream::kOut)) write_out("\n");
  return 0;
}

}  // namespace

const Command& command() {
  static const Command c{
      "detokenize", "Show the text of token ids", [](CLI::App& app) -> std::function<int()> {
        auto a = std::make_shared<Arguments>();
        add_model_name(app, a->model);
        auto* ids = app.add_option(
            "ids", a->ids, "The ids, as in: 1 2 3, or 1,2,3, or \"[1, 2, 3]\"; '-' reads them from stdin");
        app.add_flag("--special", a->special, "Show the text of special tokens too");
        auto* colour =
            app.add_flag("--colour", a->colour,
                         "Show where each token ends, special tokens too; also into a pipe or with NO_COLOR");
        app.add_flag("--jsonl", a->jsonl,
                     "Read one JSON list of ids per line of stdin, print one JSON string per line")
            ->excludes(colour)
            ->excludes(ids);
        return [a] { return run(*a); };
      }};
  return c;
}

}  // namespace kelda::cli::detokenize
