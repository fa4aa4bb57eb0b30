// Logprobs as JSON, shaped like OpenAI's.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "engine/logprobs.h"
#include "text/tokenizer.h"

namespace kelda::cli {

// What JSON has for the logprob of an impossible token, as in OpenAI's answers: it has no −∞.
inline constexpr double kLeastLogprob = -9999.0;
double finite_logprob(double logprob);

// {"id", "text", "bytes"}: the text has U+FFFD where a token is not whole characters, the bytes are exact.
nlohmann::json token_json(const text::Tokenizer& tokenizer, TokenId id);

// The same with "logprob", "top", and where it was asked for "processed_logprob" and "processed_top".
nlohmann::json report_json(const text::Tokenizer& tokenizer, const TokenReport& report);

// One for each token of a prompt: the first one's logprob is null, since nothing came before it.
nlohmann::json prompt_json(const text::Tokenizer& tokenizer, TokenId first,
                           std::span<const TokenReport> reports);

}  // namespace kelda::cli
