// kelda bench: how fast a model reads and writes on this machine.
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "apps/kelda/command.h"
#include "apps/kelda/option_values.h"
#include "apps/kelda/session.h"
#include "base/error.h"
#include "measure/text.h"

namespace kelda::cli::bench {
namespace {

struct Arguments {
  ModelArguments model;
  std::string tests = "pp512,tg128";
  int repetitions = 3;
  bool json = false;
};

// pp512: read 512 tokens. tg128: write 128 tokens one by one. Either may start at a depth: tg128@d4096.
struct Test {
  std::string name;
  bool writes;
  int64_t n, depth = 0;
};

Test parse_test(const std::string& name) {
  Test t{name, name.rfind("tg", 0) == 0, 0};
  if (!t.writes && name.rfind("pp", 0) != 0) {
    fail(ErrorCode::kUsage, "--tests: '{}' is not one of ppN, tgN, ppN@dDEPTH, tgN@dDEPTH", name);
  }
  const std::size_t at = name.find("@d");
  t.n = parse_integer(std::string_view(name).substr(2, at == std::string::npos ? at : at - 2), "--tests");
  if (at != std::string::npos) t.depth = parse_integer(std::string_view(name).substr(at + 2), "--tests");
  if (t.n < 1 || t.depth < 0) fail(ErrorCode::kUsage, "--tests: '{}' counts no tokens", name);
  return t;
}

std::vector<Test> parse_tests(const std::string& list) {
  std::vector<Test> tests;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    tests.push_back(parse_test(list.substr(at, end - at)));
    at = end + 1;
  }
  return tests;
}

double tokens_per_second(Runner& runner, const Test& test) {
  const int64_t vocab_size = runner.model().config().vocab_size;
  Sequence sequence(runner.cache());
  if (test.depth > 0)
    measure::read(runner, sequence, measure::some_tokens(test.depth, vocab_size, 1), kPrefillChunk);
  const auto ids = measure::some_tokens(test.n, vocab_size, 2);
  const auto start = std::chrono::steady_clock::now();
  if (test.writes) {
    for (const TokenId& id : ids) measure::read(runner, sequence, {&id, 1}, 1);
  } else {
    measure::read(runner, sequence, ids, kPrefillChunk);
  }
  return static_cast<double>(test.n) /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int run(const Arguments& a) {
  const auto tests = parse_tests(a.tests);
  Session session(a.model);
  const int64_t window = session.runner().window();
  for (const Test& test : tests) {  // all of them, before the first one is run
    if (test.depth > window || test.n > window - test.depth) {
      fail(ErrorCode::kContextLength, "{}: the window is {}", test.name, window);
    }
  }
  nlohmann::json out = nlohmann::json::array();
  for (const Test& test : tests) {
    tokens_per_second(session.runner(),
                      {test.name, test.writes, std::min<int64_t>(test.n, 32), 0});  // warm-up
    std::vector<double> runs;
    for (int i = 0; i < a.repetitions; ++i) runs.push_back(tokens_per_second(session.runner(), test));
    out.push_back({{"test", test.name}, {"tok_s", measure::median(runs)}, {"runs", runs}});
    if (!a.json) fmt::print("{:<16} {:>10.1f} tok/s\n", test.name, measure::median(runs));
  }
  if (a.json) fmt::print("{}\n", out.dump());
  return 0;
}

}  // namespace

const Command& command() {
  static const Command c{
      "bench", "Measure reading and writing speed", [](CLI::App& app) -> std::function<int()> {
        auto a = std::make_shared<Arguments>();
        add_model_arguments(app, a->model);
        app.add_option("--tests", a->tests, "ppN reads N tokens, tgN writes N; @dD starts at depth D")
            ->capture_default_str();
        auto* repetitions =
            app.add_option("--repetitions,-r", a->repetitions, "Runs of each; the median counts")
                ->capture_default_str();
        allow_integers(*repetitions, 1, 1000);
        app.add_flag("--json", a->json, "Print JSON");
        return [a] { return run(*a); };
      }};
  return c;
}

}  // namespace kelda::cli::bench
