#include "engine/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/knob_json.h"

namespace kelda {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // a name or a message may be any bytes
}

Json or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }

Json rope_json(const models::RopeOverride& rope) {
  if (!rope.is_set()) return {};
  return {{"scaling", or_null(rope.scaling)},
          {"factor", rope.factor},
          {"base", rope.base},
          {"original", rope.original}};
}

Json step_json(const Trace::Step& step) {
  Json top = Json::array();
  for (const Trace::Logit& l : step.top) top.push_back(Json::array({l.id, hex_float(l.logit)}));
  return {{"token", step.token},
          {"uniform", step.uniform ? Json(*step.uniform) : Json()},
          {"logits_sha256", step.logits_sha256},
          {"top", std::move(top)}};
}

}  // namespace

std::string hex_float(float x) { return fmt::format("{:a}", static_cast<double>(x)); }

Trace::Step trace_step(const DrawReport& report) {
  const sampling::DrawRecord& record = report.record;
  Trace::Step step{record.draw.id, std::nullopt, report.logits_sha256, {}};
  if (!record.greedy) step.uniform = record.draw.uniform;
  const std::size_t n = std::min(kTraceTop, record.candidates.size());
  for (std::size_t i = 0; i < n; ++i)
    step.top.push_back({record.candidates[i].id, record.candidates[i].logit});
  return step;
}

Trace::Finish trace_finish(const Event& last) {
  Trace::Finish finish{*last.finish, last.rule, {}, last.error};
  if (last.rule == StopRule::kStopText) finish.stop = last.stop;
  return finish;
}

std::string trace_text(const Trace& trace) {
  const Json head = {{"format", "kelda-trace"},
                     {"version", kTraceVersion},
                     {"program", trace.program},
                     {"model",
                      {{"name", trace.model.name},
                       {"file_bytes", trace.model.file_bytes},
                       {"fingerprint", trace.model.fingerprint}}},
                     {"run",
                      {{"compute", trace.compute == Compute::kReference ? "reference" : "auto"},
                       {"window", trace.window},
                       {"rope", rope_json(trace.rope)},
                       {"threads", trace.threads},
                       {"instruction_set", trace.instruction_set}}},
                     {"prompt", trace.prompt},
                     {"seed", trace.seed},
                     {"settings", settings_json(trace.knobs)},
                     {"finish",
                      {{"reason", name(trace.finish.reason)},
                       {"rule", or_null(name(trace.finish.rule))},
                       {"stop", or_null(trace.finish.stop)},
                       {"error", or_null(trace.finish.error)}}}};
  std::string text = "{\n";
  for (const auto& [key, value] : head.items()) text += fmt::format("\"{}\": {},\n", key, dump(value));
  text += "\"steps\": [";
  for (const Trace::Step& step : trace.steps)
    text += fmt::format("{}\n{}", &step == trace.steps.data() ? "" : ",", dump(step_json(step)));
  return text + "\n]\n}\n";
}

}  // namespace kelda
