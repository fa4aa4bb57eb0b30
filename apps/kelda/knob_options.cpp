#include "apps/kelda/knob_options.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "sampling/profiles.h"

namespace kelda::cli {
namespace {

constexpr char kGroup[] = "Sampling and output";

std::string value_name(const Knob& knob) {
  switch (knob.type) {
    case KnobType::kFloat:
      return "NUMBER";
    case KnobType::kInt:
    case KnobType::kSeed:
      return "INTEGER";
    case KnobType::kBool:
      return "";
    case KnobType::kText:
      return knob.choices == nullptr ? "TEXT" : "NAME";
    case KnobType::kTextList:
      return knob.choices == nullptr ? "TEXT" : "NAME,...";
    case KnobType::kTokenBias:
      return "ID=BIAS,...";
    case KnobType::kTokenIds:
      return "ID,...";
  }
  return "";
}

bool is_list(KnobType type) {
  return type == KnobType::kTextList || type == KnobType::kTokenBias || type == KnobType::kTokenIds;
}

std::string description(const Knob& knob) {
  if (knob.type == KnobType::kBool) return std::string(knob.help);
  std::string allowed = allowed_text(knob);
  if (allowed[0] >= 'a' && allowed[0] <= 'z') allowed[0] = static_cast<char>(allowed[0] - 'a' + 'A');
  return fmt::format("{} {}{}; default {}.", knob.help, allowed, is_list(knob.type) ? ", repeatable" : "",
                     default_text(knob));
}

// At most that many columns a line.
std::string wrapped(std::string_view text, std::size_t columns) {
  std::string out;
  while (text.size() > columns) {
    const std::size_t end = text.rfind(' ', columns);
    out += fmt::format("{}\n", text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return out.append(text);
}

}  // namespace

void add_knob_flags(CLI::App& app, std::span<const Knob* const> rows, Knobs& knobs) {
  for (const Knob* row : rows) {
    const auto set = [row, &knobs](const std::string& text) { knobs.set_from_text(row->name, text, "flag"); };
    if (row->type == KnobType::kBool) {
      app.add_flag_callback(
             flag_name(row->name), [set] { set("true"); }, description(*row))
          ->group(kGroup);
      continue;
    }
    const CLI::callback_t take = [set](const CLI::results_t& texts) {
      for (const std::string& text : texts) set(text);
      return true;
    };
    app.add_option(flag_name(row->name), take, description(*row))
        ->type_name(value_name(*row))
        ->type_size(1)
        ->expected(1)
        ->multi_option_policy(is_list(row->type) ? CLI::MultiOptionPolicy::TakeAll
                                                 : CLI::MultiOptionPolicy::Throw)
        ->group(kGroup);
  }
}

void add_knob_options(CLI::App& app, std::span<const Knob* const> rows, Knobs& knobs) {
  add_knob_flags(app, rows, knobs);
  const std::string footer = app.get_footer();
  app.footer((footer.empty() ? footer : footer + "\n") + wrapped(sampling::profile_note(), 100));
}

}  // namespace kelda::cli
