// Traces from files, which anybody may have written.
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/quote.h"
#include "base/sha256.h"
#include "engine/trace.h"
#include "text/json_view.h"

namespace kelda {
namespace {

using text::JsonObject;
using text::JsonView;

constexpr int64_t kMaxId = std::numeric_limits<TokenId>::max();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

[[noreturn]] void refuse(const JsonView& view, std::string_view wanted) {
  fail(ErrorCode::kBadInput, "{} is {}, which is not {}", view.path(), quote(view.json()), wanted);
}

std::string text_or_empty(JsonObject& object, std::string_view key) {
  const auto view = object.take(key);
  return view ? std::string(view->text()) : std::string();
}

std::string sha256(const JsonView& view) {
  if (!is_sha256_hex(view.text())) refuse(view, "64 lower-case hexadecimal digits");
  return std::string(view.text());
}

TokenId token(const JsonView& view) { return static_cast<TokenId>(view.integer(0, kMaxId)); }

// One of those that `last` is the last of, by its word.
template <typename Enum>
Enum word(const JsonView& view, Enum last) {
  std::string words;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const auto value = static_cast<Enum>(i);
    if (name(value).empty()) continue;
    if (name(value) == view.text()) return value;
    words += (words.empty() ? "" : ", ") + std::string(name(value));
  }
  refuse(view, "one of " + words);
}

float parse_hex_float(const JsonView& view) {
  std::string_view text = view.text();
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  double x = 0;
  bool good = text.starts_with("0x") && !text.substr(2).starts_with('-');
  if (good) {
    const auto [end, error] =
        std::from_chars(text.data() + 2, text.data() + text.size(), x, std::chars_format::hex);
    good = error == std::errc() && end == text.data() + text.size();
  }
  if (negative) x = -x;
  // Compared as doubles: a number beyond float32, or between two of it, was not written from one.
  if (!good || !(std::abs(x) <= static_cast<double>(std::numeric_limits<float>::max())) ||
      static_cast<double>(static_cast<float>(x)) != x)
    refuse(view, "a finite float32 in hexadecimal, as \"0x1.8p+3\"");
  return static_cast<float>(x);
}

Trace::Model read_model(JsonObject object) {
  Trace::Model model{std::string(object.need("name").text()), object.need("file_bytes").natural(),
                     sha256(object.need("fingerprint"))};
  object.done();
  return model;
}

models::RopeOverride read_rope(JsonObject object) {
  models::RopeOverride rope{text_or_empty(object, "scaling"), object.need("factor").number(0, 65536),
                            object.need("base").number(0, 1e12),
                            object.need("original").integer(0, int64_t{1} << 30)};
  object.done();
  if (!rope.scaling.empty() && rope.scaling != "none" && rope.scaling != "linear" && rope.scaling != "yarn")
    fail(ErrorCode::kBadInput, "{}.scaling is {}; none, linear and yarn are possible", object.path(),
         quote(rope.scaling));
  return rope;
}

void read_run(JsonObject object, Trace& trace) {
  const JsonView compute = object.need("compute");
  if (compute.text() != "auto" && compute.text() != "reference") refuse(compute, "auto or reference");
  trace.compute = compute.text() == "reference" ? Compute::kReference : Compute::kAuto;
  trace.window = object.need("window").integer(1, kMaxPositions);
  if (const auto rope = object.take("rope")) trace.rope = read_rope(rope->object());
  trace.threads = object.need("threads").integer(1, 65536);
  trace.instruction_set = object.need("instruction_set").text();
  object.done();
}

void read_setting(std::string_view key, JsonObject setting, Knobs& knobs) {
  const std::string from(setting.need("from").text());
  if (from.empty()) fail(ErrorCode::kBadInput, "{}.from is empty", setting.path());
  const auto value = setting.take("value");
  setting.done();
  try {
    const Knob& knob = knobs.find(key);
    if (value)
      knobs.set_from_json(fmt::format("{{\"{}\":{}}}", knob.name, value->json()), from);
    else if (knob.type != KnobType::kSeed)  // which is told apart from the settings
      fail(ErrorCode::kBadInput, "has no \"value\"");
    if (from == "default" && knobs.value_of(knob.name) != Knobs(knobs.known()).value_of(knob.name))
      fail(ErrorCode::kBadInput, "is from \"default\", and its value is another");
  } catch (const Error& e) {
    fail(ErrorCode::kBadInput, "{}: {}", setting.path(), e.what());
  }
}

void read_settings(const JsonView& view, Knobs& knobs) {
  std::set<std::string_view> seen;
  for (const auto field : view.raw_object()) {
    const std::string path = fmt::format("settings.{}", escape_controls(field.key));
    if (!seen.insert(field.key).second) fail(ErrorCode::kBadInput, "{} is there twice", path);
    read_setting(field.key, JsonView(field.value, path).object(), knobs);
  }
}

Trace::Step read_step(JsonObject object) {
  Trace::Step step;
  step.token = token(object.need("token"));
  if (const auto uniform = object.take("uniform"))
    step.uniform = uniform->number(0, std::nextafter(1.0, 0.0));
  step.logits_sha256 = sha256(object.need("logits_sha256"));
  for (const JsonView& entry : object.need("top").list(kTraceTop)) {
    const auto pair = entry.list(2);
    if (pair.size() != 2) refuse(entry, "an id and its logit");
    step.top.push_back({token(pair[0]), parse_hex_float(pair[1])});
  }
  object.done();
  return step;
}

Trace::Finish read_finish(JsonObject object) {
  Trace::Finish finish;
  finish.reason = word(object.need("reason"), FinishReason::kError);
  if (const auto rule = object.take("rule")) finish.rule = word(*rule, StopRule::kTimeLimit);
  finish.stop = text_or_empty(object, "stop");
  finish.error = text_or_empty(object, "error");
  object.done();
  return finish;
}

void check_version(JsonObject& root) {
  const JsonView format = root.need("format");
  if (format.text() != "kelda-trace") refuse(format, "\"kelda-trace\"");
  const int64_t version = root.need("version").integer(0, kMax);
  if (version != kTraceVersion)
    fail(ErrorCode::kUnsupported, "version is {}; this build reads traces of version {}", version,
         kTraceVersion);
}

}  // namespace

Trace parse_trace(std::string_view text) {
  const text::JsonDocument document(text);
  JsonObject root = document.root().object();
  check_version(root);
  Trace trace;
  trace.program = root.need("program").text();
  trace.model = read_model(root.need("model").object());
  read_run(root.need("run").object(), trace);
  const JsonView prompt = root.need("prompt");
  for (const auto id : prompt.raw_list())
    trace.prompt.push_back(token(JsonView(id, fmt::format("prompt[{}]", trace.prompt.size()))));
  if (trace.prompt.empty()) fail(ErrorCode::kBadInput, "prompt is empty");
  trace.seed = root.need("seed").natural();
  read_settings(root.need("settings"), trace.knobs);
  for (const auto step : root.need("steps").raw_list())
    trace.steps.push_back(read_step(JsonView(step, fmt::format("steps[{}]", trace.steps.size())).object()));
  trace.finish = read_finish(root.need("finish").object());
  root.done();
  return trace;
}

}  // namespace kelda
