#include "apps/kelda/score_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/did_you_mean.h"
#include "base/error.h"
#include "base/quote.h"
#include "base/trim.h"
#include "config/knob_json.h"
#include "engine/scorer.h"
#include "text/text_pair.h"

namespace kelda::cli {
namespace {

using nlohmann::json;

constexpr std::string_view kFields[] = {
    "context", "continuation", "continuations", "context_ids", "continuation_ids", "continuations_ids", "id"};

void check_fields(const json& line) {
  for (const auto& item : line.items()) {
    if (std::find(std::begin(kFields), std::end(kFields), item.key()) != std::end(kFields)) continue;
    const std::string near = did_you_mean(item.key(), kFields);
    fail(ErrorCode::kBadInput, "unknown field {}{}; known are {}", quote(item.key()),
         near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near), fmt::join(kFields, ", "));
  }
  if (line.contains("id") && line["id"].is_structured())
    fail(ErrorCode::kBadInput, "\"id\" must be a text or a number");
}

const std::string& text_of(const json& value, std::string_view field) {
  if (!value.is_string()) fail(ErrorCode::kBadInput, "\"{}\" must be a text", field);
  return value.get_ref<const std::string&>();
}

std::vector<TokenId> ids_of(const json& value, std::string_view field, const Model& model) {
  if (!value.is_array() || value.empty())
    fail(ErrorCode::kBadInput, "\"{}\" must be a list of at least one token id", field);
  std::vector<TokenId> ids;
  for (const json& item : value) {
    const int64_t vocab_size = model.config().vocab_size;
    if (!item.is_number_integer() || item < 0 || item >= vocab_size) {
      fail(ErrorCode::kBadInput, "\"{}\" holds {}; the model's ids are 0 to {}", field, item.dump(),
           vocab_size - 1);
    }
    ids.push_back(item.get<TokenId>());
  }
  return ids;
}

// The values of the field, one or a list of them: exactly one of the two fields is there.
std::vector<std::pair<json, std::string>> one_or_many(const json& line, const std::string& one,
                                                      const std::string& many) {
  if (line.contains(one) == line.contains(many))
    fail(ErrorCode::kBadInput, "either \"{}\" or \"{}\" is needed", one, many);
  if (line.contains(one)) return {{line[one], one}};
  const json& list = line[many];
  if (!list.is_array() || list.empty())
    fail(ErrorCode::kBadInput, "\"{}\" must be a list with at least one entry", many);
  std::vector<std::pair<json, std::string>> out;
  for (const json& item : list) out.emplace_back(item, many);
  return out;
}

ScoreLine parse(const json& line, const Model& model, text::Special special) {
  check_fields(line);
  ScoreLine out;
  if (line.contains("id")) out.id = line["id"];
  const bool texts = line.contains("context");
  if (texts == line.contains("context_ids"))
    fail(ErrorCode::kBadInput, "either \"context\" or \"context_ids\" is needed");
  const std::string suffix = texts ? "" : "_ids";
  for (const char* other : {"continuation", "continuations"}) {
    const std::string wrong = fmt::format("{}{}", other, texts ? "_ids" : "");
    if (line.contains(wrong))
      fail(ErrorCode::kBadInput, "\"{}\" does not go with \"context{}\"", wrong, suffix);
  }
  for (const auto& [value, field] : one_or_many(line, "continuation" + suffix, "continuations" + suffix)) {
    ScoreLine::Continuation c;
    if (texts) {
      const std::string& given = text_of(value, field);
      text::TextPair pair =
          text::encode_pair(model.tokenizer(), text_of(line["context"], "context"), given, special);
      c = {std::move(pair.context), std::move(pair.continuation), given.size(), pair.clean};
    } else {
      c.context = ids_of(line["context_ids"], "context_ids", model);
      c.ids = ids_of(value, field, model);
      for (const TokenId id : c.ids) {
        if (id < model.vocabulary().size()) c.bytes += model.tokenizer().bytes(id, true).size();
      }
    }
    out.continuations.push_back(std::move(c));
  }
  return out;
}

void check_fit(const ScoreLine& line, int64_t window) {
  for (const ScoreLine::Continuation& c : line.continuations) {
    if (Scorer::read_tokens({c.context, c.ids}) <= window) continue;
    fail(ErrorCode::kContextLength,
         "the context has {} tokens and the continuation {}, of which all but the last are read, and the "
         "window is {}",
         c.context.size(), c.ids.size(), window);
  }
}

}  // namespace

std::vector<ScoreLine> read_score_lines(std::string_view text, const Model& model, text::Special special,
                                        int64_t window) {
  std::vector<ScoreLine> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const auto named = [&](ErrorCode code, const char* what) {
      fail(code == ErrorCode::kUsage ? ErrorCode::kBadInput : code, "line {}: {}", number, what);
    };
    try {
      lines.push_back(parse(parse_json_object(line), model, special));
      lines.back().number = number;
      check_fit(lines.back(), window);
    } catch (const Error& e) {
      named(e.code(), e.what());
    } catch (const json::exception& e) {
      named(ErrorCode::kBadInput, e.what());
    }
  }
  return lines;
}

}  // namespace kelda::cli
