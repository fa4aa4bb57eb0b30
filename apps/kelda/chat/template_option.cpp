#include "apps/kelda/chat/template_option.h"

#include <fmt/format.h>

#include "apps/kelda/option_values.h"
#include "apps/kelda/terminal/say.h"
#include "base/file.h"
#include "base/quote.h"

namespace kelda::cli {

void add_chat_template_option(CLI::App& app, std::string& file) {
  refuse_empty(
      *app.add_option("--chat-template", file, "A Jinja file in place of the model's own chat template")
           ->type_name("FILE"));
}

std::shared_ptr<const chat::ChatTemplate> choose_template(const std::string& file, const Model& model) {
  if (file.empty()) return model.chat_template();
  return model.chat_template()->with_source(read_text(file, chat::kMaxTemplateBytes), file);
}

void tell_findings(const chat::ChatTemplate& t) {
  if (t.is_fallback()) say("note: chat template: {}; --raw or --chat-template are other ways\n", t.name());
  for (const std::string& finding : t.findings()) say("note: chat template: {}\n", escape_controls(finding));
}

}  // namespace kelda::cli
