#include "text/pre_tokenizers.h"

#include <fmt/ranges.h>

#include <vector>

#include "base/error.h"
#include "base/quote.h"

namespace kelda::text {
namespace {

// The contractions, words, numbers, other signs, and blanks of GPT-2; the last blank goes with what follows
// it.
//   Source: Radford et al. 2019, released with the model's code.
#define KELDA_GPT2 R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"
#define KELDA_CONTRACTIONS R"((?i:'s|'t|'re|'ve|'m|'ll|'d))"
#define KELDA_BLANKS R"(\s*[\r\n]+|\s+(?!\S)|\s+)"

// The pattern of OpenAI's cl100k and its descendants, which differ in how many digits go together.
#define KELDA_CL100K(digits) \
  KELDA_CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|)" digits R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|)" KELDA_BLANKS

// OpenAI's o200k and its descendants: a word begins with capitals, or is one of capitals.
#define KELDA_CAPITALS R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define KELDA_SMALL R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
#define KELDA_O200K(end, digits)                                                                         \
  R"([^\r\n\p{L}\p{N}]?)" KELDA_CAPITALS "*" KELDA_SMALL "+" end R"(|[^\r\n\p{L}\p{N}]?)" KELDA_CAPITALS \
  "+" KELDA_SMALL "*" end "|" digits R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|)" KELDA_BLANKS

constexpr std::string_view kEachDigit = R"(\p{Digit})";

constexpr std::string_view kGpt2[] = {KELDA_GPT2};
constexpr std::string_view kDigitsThenGpt2[] = {kEachDigit, KELDA_GPT2};
constexpr std::string_view kLlama3[] = {KELDA_CL100K(R"(\p{N}{1,3})")};
constexpr std::string_view kQwen2[] = {KELDA_CL100K(R"(\p{N})")};
constexpr std::string_view kQwen35[] = {
    KELDA_CONTRACTIONS
    R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" KELDA_BLANKS};
constexpr std::string_view kGpt4o[] = {KELDA_O200K(KELDA_CONTRACTIONS "?", R"(\p{N}{1,3})")};
constexpr std::string_view kTekken[] = {KELDA_O200K("", R"(\p{N})")};
constexpr std::string_view kJais2[] = {
    KELDA_CONTRACTIONS
    R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S))"
    R"(|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})"};
constexpr std::string_view kSeedCoder[] = {
    KELDA_CONTRACTIONS R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|)" KELDA_BLANKS};
constexpr std::string_view kBailing[] = {
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"};

// Falcon writes bytes as characters after the first cut of words, and only then looks for digits.
constexpr std::string_view kFalcon[] = {R"(\p{BertPunctuation}+)", KELDA_GPT2, R"(\p{Digit}+)",
                                        "[0-9][0-9][0-9]"};

// DeepSeek's: the letters of alphabets with case as its first models knew them; Chinese and Korean by
// themselves.
constexpr std::string_view kDeepseekCjk = "[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+";
constexpr std::string_view kDeepseekLlm[] = {
    R"([\r\n])",
    R"(\s?[A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293}\x{295}-\x{2AF})"
    R"(\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A}\x{38C}\x{38E}-\x{3A1})"
    R"(\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556}\x{10A0}-\x{10C5}\x{13A0}-\x{13F5})"
    R"(\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF}\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A})"
    R"(\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B})"
    R"(\x{1F5D}\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC})"
    R"(\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC}\x{2102}\x{2107})"
    R"(\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134})"
    R"(\x{2139}\x{213C}-\x{213F}\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4})"
    R"(\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F}\x{A771}-\x{A787})"
    R"(\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06}\x{FB13}-\x{FB17}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A})"
    R"(\x{10400}-\x{1044F}\x{104B0}-\x{104D3}\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2})"
    R"(\x{118A0}-\x{118DF}\x{1E900}-\x{1E943}]+)",
    "\\s?[!-/:-~\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3000-\u3002]+",
    R"(\s+$)",
    kDeepseekCjk,
    kEachDigit,
};
constexpr std::string_view kDeepseekCoder[] = {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", kDeepseekCjk,
                                               kEachDigit};
constexpr std::string_view kDeepseekV3[] = {
    R"(\p{N}{1,3})",
    "[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+",
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+[\r\n]*|)" KELDA_BLANKS,
};

#undef KELDA_GPT2
#undef KELDA_CONTRACTIONS
#undef KELDA_BLANKS
#undef KELDA_CL100K
#undef KELDA_CAPITALS
#undef KELDA_SMALL
#undef KELDA_O200K

constexpr PreTokenizerRow kRows[] = {
    {"gpt-2", kGpt2},
    {"gpt2", kGpt2},
    {"phi-2", kGpt2},
    {"mpt", kGpt2, true},
    {"olmo", kGpt2, true},
    {"jais", kGpt2},
    {"roberta-bpe", kGpt2},
    {"modern-bert", kGpt2, true},
    {"smollm", kDigitsThenGpt2},
    {"starcoder", kDigitsThenGpt2},
    {"refact", kDigitsThenGpt2},
    {"command-r", kDigitsThenGpt2, true},
    {"codeshell", kDigitsThenGpt2},
    {"llama-bpe", kLlama3, false, true},
    {"llama3", kLlama3, false, true},
    {"llama-v3", kLlama3, false, true},
    {"falcon3", kLlama3, false, true},
    {"lfm2", kLlama3, false, true},
    {"dbrx", kLlama3},
    {"smaug-bpe", kLlama3},
    {"chatglm-bpe", kLlama3},
    {"glm4", kLlama3, false, true},
    {"jais-2", kJais2},
    {"qwen2", kQwen2, true},
    {"deepseek-r1-qwen", kQwen2, true},
    {"stablelm2", kQwen2, true},
    {"qwen35", kQwen35, true},
    {"gpt-4o", kGpt4o},
    {"llama4", kGpt4o},
    {"tekken", kTekken, false, true},
    {"seed-coder", kSeedCoder},
    {"bailingmoe", kBailing, true},
    {"falcon", kFalcon, false, false, true},
    {"deepseek-llm", kDeepseekLlm},
    {"deepseek-coder", kDeepseekCoder},
    {"deepseek-v3", kDeepseekV3},
};

}  // namespace

const std::string_view kGpt2Expression = kGpt2[0];

std::span<const PreTokenizerRow> pre_tokenizer_rows() { return kRows; }

const PreTokenizerRow& pre_tokenizer_row(std::string_view name) {
  for (const PreTokenizerRow& row : kRows)
    if (row.name == name) return row;
  std::vector<std::string_view> known;
  for (const PreTokenizerRow& row : kRows) known.push_back(row.name);
  fail(ErrorCode::kUnsupported, "tokenizer.ggml.pre: {}; known: {}",
       name.empty() ? "the key is missing" : fmt::format("no pre-tokenizer {}", quote(name)),
       fmt::join(known, ", "));
}

}  // namespace kelda::text
