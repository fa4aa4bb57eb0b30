#include "text/tokenizer_json_rules.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"
#include "text/pre_tokenizers.h"
#include "text/unicode_classes.h"

namespace kelda::text {
namespace {

constexpr std::size_t kMaxSteps = 32;

// An unknown step changes text in unknown ways: refused, never passed over.
[[noreturn]] void unknown_type(const JsonView& value, std::string_view type) {
  fail(ErrorCode::kUnsupported, "{}.type: {} is not known here, and passing over it would change the text",
       value.path(), quote(type));
}

// Calls each(view, object, type) for `value`, or for the members of the Sequence that it is, at any depth.
// Without recursion: a list of what is to be visited.
template <typename Each>
void for_each_member(const JsonView& value, std::string_view list_name, Each&& each) {
  std::vector<JsonView> open = {value};
  for (std::size_t n = 0; !open.empty(); ++n) {
    if (n == 2 * kMaxSteps)
      fail(ErrorCode::kUnsupported, "{}: more than {} steps", value.path(), 2 * kMaxSteps);
    const JsonView view = open.back();
    open.pop_back();
    JsonObject object = view.object();
    const std::string_view type = object.need("type").text();
    if (type == "Sequence") {
      const std::vector<JsonView> members = object.need(list_name).list(kMaxSteps);
      open.insert(open.end(), members.rbegin(), members.rend());
    } else {
      each(view, object, type);
    }
    object.done();
  }
}

// {"String": …} or {"Regex": …}, as a regular expression; `text` is set for the first.
std::string read_pattern(const JsonView& value, std::string* text = nullptr) {
  JsonObject object = value.object();
  const auto literal = object.take("String");
  std::string pattern;
  if (literal) {
    if (literal->text().empty()) fail(ErrorCode::kBadInput, "{} is empty", literal->path());
    pattern = literal_pattern(literal->text());
    if (text != nullptr) *text = literal->text();
  } else {
    pattern = object.need("Regex").text();
  }
  object.done();
  return pattern;
}

Behavior read_behavior(const JsonView& value) {
  static constexpr std::pair<std::string_view, Behavior> kNames[] = {
      {"Isolated", Behavior::kIsolated},
      {"Removed", Behavior::kRemoved},
      {"MergedWithPrevious", Behavior::kMergedWithPrevious},
      {"MergedWithNext", Behavior::kMergedWithNext},
      {"Contiguous", Behavior::kContiguous}};
  for (const auto& [name, behavior] : kNames)
    if (value.text() == name) return behavior;
  fail(ErrorCode::kUnsupported, "{}: {} is not known here, and passing over it would change the text",
       value.path(), quote(value.text()));
}

// A step of the file's own expression: what is wrong with it is said with the place.
Split split_at(const JsonView& value, std::string_view pattern, Behavior behavior, bool invert) {
  try {
    return split(pattern, behavior, invert);
  } catch (const Error& e) {
    fail(e.code(), "{}: {}", value.path(), e.what());
  }
}

NormalizerStep read_replace(JsonObject& object) {
  const JsonView pattern = object.need("pattern");
  std::string from;
  const std::string expression = read_pattern(pattern, &from);
  std::string to(object.need("content").text());
  if (!from.empty()) return ReplaceText{std::move(from), std::move(to)};
  return ReplaceMatches{split_at(pattern, expression, Behavior::kIsolated, false).pattern, std::move(to)};
}

void read_split(JsonObject& object, std::vector<PreTokenizerStep>& steps) {
  const JsonView pattern = object.need("pattern");
  const Behavior behavior = read_behavior(object.need("behavior"));
  steps.emplace_back(split_at(pattern, read_pattern(pattern), behavior, object.boolean("invert", false)));
}

void read_byte_level(JsonObject& object, std::vector<PreTokenizerStep>& steps) {
  if (object.boolean("add_prefix_space", true)) steps.emplace_back(PrefixBlank{});
  if (object.boolean("use_regex", true)) steps.emplace_back(split(kGpt2Expression));
  steps.emplace_back(MapBytes{});
  object.boolean("trim_offsets", true);  // places in the text, no ids
}

// Whether, and when, a Metaspace puts its mark before a text.
Metaspace::Prepend read_prepend_scheme(JsonObject& object) {
  const bool wanted = object.boolean("add_prefix_space", true);  // the older spelling
  const auto scheme = object.take("prepend_scheme");
  if (!scheme) return wanted ? Metaspace::Prepend::kAlways : Metaspace::Prepend::kNever;
  if (scheme->text() == "always") return Metaspace::Prepend::kAlways;
  if (scheme->text() == "first") return Metaspace::Prepend::kFirst;
  if (scheme->text() == "never") return Metaspace::Prepend::kNever;
  fail(ErrorCode::kUnsupported, "{}: {} is not known here; always, first and never are", scheme->path(),
       quote(scheme->text()));
}

std::string read_mark(JsonObject& object) {
  const JsonView mark = object.need("replacement");
  if (mark.text().empty()) fail(ErrorCode::kBadInput, "{} is empty", mark.path());
  object.take("str_rep");  // the same again
  return std::string(mark.text());
}

void read_metaspace(JsonObject& object, std::vector<PreTokenizerStep>& steps) {
  const std::string mark = read_mark(object);
  steps.emplace_back(Metaspace{mark, read_prepend_scheme(object)});
  if (object.boolean("split", true))
    steps.emplace_back(split(literal_pattern(mark), Behavior::kMergedWithNext));
}

}  // namespace

std::vector<NormalizerStep> read_normalizer(const JsonView& value) {
  std::vector<NormalizerStep> steps;
  for_each_member(value, "normalizers", [&](const JsonView& view, JsonObject& object, std::string_view type) {
    if (type == "NFC") {
      steps.emplace_back(NormalForm::kNfc);
    } else if (type == "NFD") {
      steps.emplace_back(NormalForm::kNfd);
    } else if (type == "NFKC") {
      steps.emplace_back(NormalForm::kNfkc);
    } else if (type == "NFKD") {
      steps.emplace_back(NormalForm::kNfkd);
    } else if (type == "Lowercase") {
      steps.emplace_back(Lowercase{});
    } else if (type == "StripAccents") {
      steps.emplace_back(StripAccents{});
    } else if (type == "ByteLevel") {
      steps.emplace_back(ToByteAlphabet{});
    } else if (type == "Prepend") {
      steps.emplace_back(Prepend{std::string(object.need("prepend").text())});
    } else if (type == "Replace") {
      steps.emplace_back(read_replace(object));
    } else if (type == "Strip") {
      const bool left = object.boolean("strip_left", true), right = object.boolean("strip_right", true);
      steps.emplace_back(StripBlanks{left, right});
    } else if (type == "BertNormalizer") {
      BertRules rules{};
      rules.clean_text = object.boolean("clean_text", true);
      rules.chinese_chars = object.boolean("handle_chinese_chars", true);
      rules.lowercase = object.boolean("lowercase", true);
      rules.strip_accents = object.boolean("strip_accents", rules.lowercase);
      steps.emplace_back(rules);
    } else {
      unknown_type(view, type);
    }
  });
  return steps;
}

std::vector<PreTokenizerStep> read_pre_tokenizer(const JsonView& value) {
  std::vector<PreTokenizerStep> steps;
  for_each_member(
      value, "pretokenizers", [&](const JsonView& view, JsonObject& object, std::string_view type) {
        if (type == "Split") {
          read_split(object, steps);
        } else if (type == "ByteLevel") {
          read_byte_level(object, steps);
        } else if (type == "Metaspace") {
          read_metaspace(object, steps);
        } else if (type == "BertPreTokenizer") {
          steps.emplace_back(split(R"(\s)", Behavior::kRemoved));
          steps.emplace_back(split(R"(\p{BertPunctuation})"));
        } else if (type == "Whitespace") {
          steps.emplace_back(split(R"(\p{AddedWord}+|[^\p{AddedWord}\s]+)", Behavior::kRemoved, true));
        } else if (type == "WhitespaceSplit") {
          steps.emplace_back(split(R"(\s)", Behavior::kRemoved));
        } else if (type == "Punctuation") {
          const auto behavior = object.take("behavior");
          steps.emplace_back(
              split(R"(\p{BertPunctuation})", behavior ? read_behavior(*behavior) : Behavior::kIsolated));
        } else if (type == "Digits") {
          const bool each = object.boolean("individual_digits", false);
          steps.emplace_back(split(R"(\p{Digit})", each ? Behavior::kIsolated : Behavior::kContiguous));
        } else if (type == "CharDelimiterSplit") {
          const JsonView delimiter = object.need("delimiter");
          if (delimiter.text().empty()) fail(ErrorCode::kBadInput, "{} is empty", delimiter.path());
          steps.emplace_back(split(literal_pattern(delimiter.text()), Behavior::kRemoved));
        } else {
          unknown_type(view, type);
        }
      });
  return steps;
}

DecoderRules read_decoder(const JsonView& value) {
  DecoderRules rules;
  using Kind = DecoderRules::Kind;
  bool fused = false;
  for_each_member(value, "decoders", [&](const JsonView& view, JsonObject& object, std::string_view type) {
    // Two in a row would make a token's bytes depend on its neighbours, and a stream has not seen them yet.
    const auto only_one = [&](Kind kind) {
      if (rules.kind != Kind::kText)
        fail(ErrorCode::kUnsupported,
             "{}: {} after another decoder is refused: a token's bytes would depend on its neighbours",
             view.path(), quote(type));
      rules.kind = kind;
    };
    if (type == "ByteLevel") {
      only_one(Kind::kByteLevel);
      for (const char* key : {"add_prefix_space", "trim_offsets", "use_regex"}) object.boolean(key, true);
    } else if (type == "Metaspace") {
      only_one(Kind::kMetaspace);
      rules.mark = read_mark(object);
      if (read_prepend_scheme(object) != Metaspace::Prepend::kNever)
        rules.at_start = DecoderRules::Drop::kAllBlanks;
      object.boolean("split", true);
    } else if (type == "WordPiece") {
      only_one(Kind::kWords);
      const auto prefix = object.take("prefix");
      rules.mark = prefix ? prefix->text() : "##";
      rules.tidy = object.boolean("cleanup", true);
    } else if (type == "Replace") {
      only_one(Kind::kMetaspace);
      read_pattern(object.need("pattern"), &rules.mark);
      const JsonView content = object.need("content");
      if (rules.mark.empty() || content.text() != " ")
        fail(ErrorCode::kUnsupported, "{}: only a string that stands for a blank is implemented",
             view.path());
    } else if (type == "ByteFallback") {
      // Tokens "<0x..>" are bytes because the model has byte_fallback.
    } else if (type == "Fuse") {
      fused = true;  // the text as a whole
    } else if (type == "Strip") {
      const bool first_blank = object.need("content").text() == " " &&
                               object.need("start").integer(0, 1 << 20) == 1 &&
                               object.need("stop").integer(0, 1 << 20) == 0;
      if (!first_blank || !fused)
        fail(ErrorCode::kUnsupported, "{}: only one blank at the start, after Fuse, is implemented",
             view.path());
      rules.at_start = DecoderRules::Drop::kOneBlank;
    } else {
      unknown_type(view, type);
    }
  });
  return rules;
}

namespace {

// The only token of the entry of `special_tokens` that a template names.
std::string template_token(JsonObject& special_tokens, std::string_view name) {
  JsonObject object = special_tokens.need(name).object();
  object.need("id").text();
  const auto ids = object.need("ids").list(8), tokens = object.need("tokens").list(8);
  object.done();
  if (ids.size() != 1 || tokens.size() != 1)
    fail(ErrorCode::kUnsupported, "{}: {} tokens; exactly 1 is implemented", object.path(), tokens.size());
  return std::string(tokens[0].text());
}

Envelope read_template(JsonObject& object) {
  Envelope envelope;
  JsonObject special_tokens = object.need("special_tokens").object();
  object.take("pair");  // of two texts: not what this program asks for
  bool text_seen = false;
  for (const JsonView& part : object.need("single").list(8)) {
    JsonObject one = part.object();
    if (const auto sequence = one.take("Sequence")) {
      if (text_seen) fail(ErrorCode::kUnsupported, "{}: a second text", part.path());
      text_seen = true;
      one.done();
      continue;
    }
    JsonObject token = one.need("SpecialToken").object();
    std::string& side = text_seen ? envelope.after : envelope.before;
    if (!side.empty())  // a vocabulary has one BOS and one EOS
      fail(ErrorCode::kUnsupported,
           "{}: more than one token on a side of the text is refused: a vocabulary has one BOS and one EOS",
           part.path());
    side = template_token(special_tokens, token.need("id").text());
    token.take("type_id");
    token.done();
    one.done();
  }
  if (!text_seen) fail(ErrorCode::kBadInput, "{}.single has no text", object.path());
  return envelope;
}

// ["[SEP]", 102]
std::string named_token(JsonObject& object, std::string_view key) {
  const JsonView pair = object.need(key);
  const auto members = pair.list(2);
  if (members.size() != 2) fail(ErrorCode::kBadInput, "{} is not a token and its id", pair.path());
  return std::string(members[0].text());
}

}  // namespace

Envelope read_post_processor(const JsonView& value) {
  Envelope envelope;
  for_each_member(value, "processors", [&](const JsonView& view, JsonObject& object, std::string_view type) {
    const bool bert = type == "BertProcessing" || type == "RobertaProcessing";
    if (type == "ByteLevel" || type == "RobertaProcessing")  // places in the text, no ids
      for (const char* key : {"add_prefix_space", "trim_offsets", "use_regex"}) object.boolean(key, true);
    if (type == "ByteLevel") return;
    if (!bert && type != "TemplateProcessing") unknown_type(view, type);
    if (!envelope.before.empty() || !envelope.after.empty())  // likewise
      fail(ErrorCode::kUnsupported,
           "{}: a second one that adds tokens is refused: a vocabulary has one BOS and one EOS", view.path());
    if (bert)
      envelope = {named_token(object, "cls"), named_token(object, "sep")};
    else
      envelope = read_template(object);
  });
  return envelope;
}

}  // namespace kelda::text
