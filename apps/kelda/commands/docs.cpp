// kelda docs: the generated pages of docs/reference, as Markdown on stdout.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/kelda/command.h"
#include "base/error.h"
#include "sampling/knobs_page.h"

namespace kelda::cli::docs {
namespace {

struct Page {
  std::string_view name;  // docs/reference/NAME.md
  std::string (*text)();
};
constexpr Page kPages[] = {
    {"knobs", sampling::knobs_page},
};

int print_page(std::string_view name) {
  std::string names;
  for (const Page& page : kPages) {
    if (page.name != name) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", page.name);
      continue;
    }
    const std::string text = page.text();
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
      fail(ErrorCode::kIo, "cannot write the page to stdout");
    }
    return 0;
  }
  fail(ErrorCode::kUsage, "there is no generated page \"{}\"; there is: {}", name, names);
}

std::function<int()> setup(CLI::App& app) {
  const auto name = std::make_shared<std::string>();
  std::string names;
  for (const Page& page : kPages) names += fmt::format(" {}", page.name);
  app.add_option("page", *name, "Which page:" + names)->required();
  return [name] { return print_page(*name); };
}

}  // namespace

const Command& command() {
  static const Command c{"docs", "Print a generated page of the reference as Markdown", setup};
  return c;
}

}  // namespace kelda::cli::docs
