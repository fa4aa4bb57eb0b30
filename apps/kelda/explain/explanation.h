// How an answer came to be, and its three forms: for people, for programs, as a page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/kelda/generation.h"
#include "config/knob.h"
#include "engine/model.h"

namespace kelda::cli {

struct Explanation {
  const Model& model;
  std::string model_name;       // as the user called it
  std::string chat_template;    // empty for a raw prompt
  std::vector<TokenId> prompt;  // as it was read
  Knobs knobs;
  Answer answer = {};  // its request was explained
  Usage passes = {};   // of the answer alone; answer.last.usage has those that made the prompt fit, too
};

// Each ends with a newline. quiet: without times.
std::string explanation_text(const Explanation& e, bool quiet);
nlohmann::json explanation_json(const Explanation& e);
// A page of HTML that needs nothing but itself.
std::string explanation_page(const Explanation& e);

// A setting's value; where it is not set, its default as people call it.
std::string setting_text(const Knobs& knobs, const Knob& knob);
// "window 256, prompt 100 of 120 tokens, dropped 20, left 90"
std::string context_text(const ContextReport& context);
// "length (max_tokens)", "stop (stop_text) at \"END\"": safe to show.
std::string finish_text(const Event& last);

}  // namespace kelda::cli
