#include "apps/kelda/explain/explanation.h"
#include "apps/kelda/fitting.h"
#include "apps/kelda/token_json.h"
#include "config/knob_json.h"

namespace kelda::cli {
namespace {

using nlohmann::json;

json or_null(std::string_view text) { return text.empty() ? json() : json(text); }

json candidate_json(const Explanation& e, const sampling::DrawRecord& record,
                    const sampling::CandidateRecord& c) {
  json out = token_json(e.model.tokenizer(), c.id);
  const bool cut = c.removed_by >= 0;
  out.update({{"logit", c.logit},
              {"p", c.p},
              {"p_drawn_from", c.p_drawn},
              {"cut_by", cut ? json(record.stages[static_cast<std::size_t>(c.removed_by)].name) : json()}});
  return out;
}

json step_json(const Explanation& e, std::size_t i) {
  const DrawReport& report = e.answer.draws[i];
  const sampling::DrawRecord& record = report.record;
  json stages = json::array(), candidates = json::array();
  for (const sampling::StageRecord& s : record.stages) {
    stages.push_back(
        {{"name", s.name}, {"left", s.n_left}, {"mass_kept", s.mass_kept}, {"mass_of_raw", s.mass_of_raw}});
  }
  for (const sampling::CandidateRecord& c : record.candidates)
    candidates.push_back(candidate_json(e, record, c));
  return {{"step", i},
          {"position", e.prompt.size() + i},
          {"token", token_json(e.model.tokenizer(), record.draw.id)},
          {"greedy", record.greedy},
          {"uniform", record.greedy ? json() : json(record.draw.uniform)},
          {"tokens", record.n_raw},
          {"left", record.draw.n_left},
          {"raw_entropy_bits", record.raw_entropy},
          {"entropy_bits", record.entropy},
          {"stages", std::move(stages)},
          {"candidates", std::move(candidates)},
          {"logits_sha256", report.logits_sha256}};
}

}  // namespace

json explanation_json(const Explanation& e) {
  const Answer& answer = e.answer;
  const Event& last = answer.last;
  json prompt = json::array(), steps = json::array();
  for (const TokenId id : e.prompt) prompt.push_back(token_json(e.model.tokenizer(), id));
  for (std::size_t i = 0; i < answer.draws.size(); ++i) steps.push_back(step_json(e, i));
  std::vector<std::string> notices = answer.admitted.notices;
  notices.insert(notices.end(), last.notices.begin(), last.notices.end());
  return {{"model", e.model_name},
          {"chat_template", or_null(e.chat_template)},
          {"prompt", std::move(prompt)},
          {"settings", settings_json(e.knobs)},
          {"seed", answer.admitted.seed},
          {"notices", notices},
          {"prefix_cache",
           {{"outcome", name(answer.admitted.prefix.outcome)},
            {"tokens", last.context.prompt_cached},
            {"why", why(answer.admitted.prefix)}}},
          {"steps", std::move(steps)},
          {"text", answer.text},
          {"ids", answer.ids},
          {"finish_reason", name(*last.finish)},
          {"finish_detail", or_null(name(last.rule))},
          {"stop", last.stop},
          {"error", or_null(last.error)},
          {"usage", usage_json(last.usage)},
          {"context", context_json(last.context)},
          {"phases",
           {{"queue_ms", last.phases.queue * 1e3},
            {"prefill_ms", last.phases.prefill * 1e3},
            {"decode_ms", last.phases.decode * 1e3}}}};
}

}  // namespace kelda::cli
