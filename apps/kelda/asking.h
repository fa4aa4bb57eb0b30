// A prompt as the command line gives it, with the settings of its answer: what `run` and other commands that
// answer one prompt have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/kelda/session.h"
#include "config/knob.h"
#include "context/given.h"
#include "learned/vocabulary.h"

namespace kelda::cli {

struct Asking {
  explicit Asking(std::span<const Knob* const> rows) : known(rows) {}

  ModelArguments model;
  std::optional<std::string> prompt, prompt_option, request_file;
  std::string system, chat_template;
  bool raw = false, special = false;
  std::span<const Knob* const> known;  // the rows of `knobs`; they outlive this
  Knobs knobs{known};
};

// MODEL, PROMPT, --prompt, --raw, --special, --system, --chat-template, --request and a flag for each knob;
// `asking` outlives the parse.
void add_asking_options(CLI::App& app, Asking& asking);

// After the parse and before a model is loaded: reads the request's file into the knobs and gives the text of
// the prompt, from the arguments or stdin. Throws kUsage for what excludes each other and for an empty
// prompt, kBadInput for a text that is not UTF-8.
std::string settle(Asking& asking);

// The prompt in the form in which the model is to read it. Says on stderr what is odd about the template,
// unless the model's arguments are quiet. Throws kNotFound, kBadInput for the template.
context::Given given_prompt(const Asking& asking, const Model& model, const std::string& prompt);

}  // namespace kelda::cli
