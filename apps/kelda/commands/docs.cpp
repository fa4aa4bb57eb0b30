// kelda docs: the generated pages of docs/reference, as Markdown on stdout.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "apps/kelda/command.h"
#include "apps/kelda/option_values.h"
#include "base/error.h"
#include "base/quote.h"
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
  for (const Page& page : kPages) {
    if (page.name != name) continue;
    const std::string text = page.text();
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
      fail(ErrorCode::kIo, "cannot write the page to stdout: {}", std::strerror(errno));
    }
    return 0;
  }
  fail(ErrorCode::kUsage, "there is no generated page {}", quote(name));
}

std::function<int()> setup(CLI::App& app) {
  const auto name = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Page& page : kPages) names.emplace_back(page.name);
  auto* option = app.add_option("page", *name, fmt::format("{}", fmt::join(names, " or ")))->required();
  allow_words(*option, names);
  return [name] { return print_page(*name); };
}

}  // namespace

const Command& command() {
  static const Command c{"docs", "Print a generated page of the reference as Markdown", setup};
  return c;
}

}  // namespace kelda::cli::docs
