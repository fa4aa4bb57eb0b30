#include "apps/kelda/token_json.h"

#include <algorithm>

#include "text/detokenizer.h"

namespace kelda::cli {
namespace {

nlohmann::json top_json(const text::Tokenizer& tokenizer, std::span<const sampling::TokenLogprob> top) {
  nlohmann::json list = nlohmann::json::array();
  for (const sampling::TokenLogprob& t : top) {
    nlohmann::json entry = token_json(tokenizer, t.id);
    entry["logprob"] = finite_logprob(t.logprob);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

double finite_logprob(double logprob) { return std::max(logprob, kLeastLogprob); }

nlohmann::json token_json(const text::Tokenizer& tokenizer, TokenId id) {
  // A model may have more rows than its vocabulary has pieces: those stand for nothing.
  const std::string bytes = id < tokenizer.vocabulary().size() ? tokenizer.bytes(id, true) : std::string();
  text::Utf8Stream stream;
  std::string text = stream.push(bytes);
  text += stream.finish();
  nlohmann::json list = nlohmann::json::array();
  for (const char c : bytes) list.push_back(static_cast<unsigned char>(c));
  return {{"id", id}, {"text", text}, {"bytes", list}};
}

nlohmann::json report_json(const text::Tokenizer& tokenizer, const TokenReport& report) {
  nlohmann::json entry = token_json(tokenizer, report.id);
  entry["logprob"] = finite_logprob(report.logprob);
  entry["top"] = top_json(tokenizer, report.top);
  if (report.processed) {
    entry["processed_logprob"] = finite_logprob(report.processed->logprob);
    entry["processed_top"] = top_json(tokenizer, report.processed->top);
  }
  return entry;
}

nlohmann::json prompt_json(const text::Tokenizer& tokenizer, TokenId first,
                           std::span<const TokenReport> reports) {
  nlohmann::json list = nlohmann::json::array();
  list.push_back(token_json(tokenizer, first));
  list.back().update({{"logprob", nullptr}, {"top", nlohmann::json::array()}});
  for (const TokenReport& report : reports) list.push_back(report_json(tokenizer, report));
  return list;
}

}  // namespace kelda::cli
