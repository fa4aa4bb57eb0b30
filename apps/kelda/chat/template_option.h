// --chat-template: another template than the model's.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "chat/chat_template.h"
#include "engine/model.h"

namespace kelda::cli {

void add_chat_template_option(CLI::App& app, std::string& file);

// The template in `file`, or the model's own where that is empty. Throws kNotFound, kBadInput.
std::shared_ptr<const chat::ChatTemplate> choose_template(const std::string& file, const Model& model);

// Notes on stderr: a fallback, and what is odd about the template.
void tell_findings(const chat::ChatTemplate& chat_template);

}  // namespace kelda::cli
