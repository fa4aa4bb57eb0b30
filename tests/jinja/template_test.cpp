#include "jinja/template.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "jinja/rendering.h"

#ifdef __SANITIZE_ADDRESS__
extern "C" {  // of sanitizer/allocator_interface.h, which g++ does not install
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                              void (*)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(const volatile void*);
}
#endif

namespace kelda::jinja {
namespace {

// The 43 templates of real models with six conversations each, as Hugging Face renders them: expected.json.
TEST(Template, RendersTheTemplatesOfRealModels) {
  const char* folder = std::getenv("KELDA_TEMPLATE_VECTORS");
  if (!folder)
    GTEST_SKIP() << "KELDA_TEMPLATE_VECTORS is not set to a folder with templates and expected.json";
  const std::filesystem::path root(folder);
  const Value vectors = parse_json(read_text(root / "expected.json", 1 << 26), Provenance::kInput);
  const auto& all = vectors.as_dict();
  Environment environment;
  environment.now =
      std::chrono::sys_days(std::chrono::year(2026) / 1 / 2) + std::chrono::seconds(3 * 3600 + 4 * 60 + 5);
  ASSERT_EQ(all.find("now")->str(), "2026-01-02T03:04:05");
  int n = 0;
  for (const auto& [file, expected] : all.find("expected")->as_dict().items()) {
    const Template chat(read_text(root / std::string(file.str()), 1 << 22), std::string(file.str()));
    for (const auto& [conversation, outcome] : expected.as_dict().items()) {
      Dict globals;
      globals.set("tools", Value::none());
      globals.set("add_generation_prompt", Value::boolean(true));
      for (const auto& [key, value] : all.find("tokens")->as_dict().items()) globals.set(key, value);
      for (const auto& [key, value] :
           all.find("conversations")->as_dict().find(conversation)->as_dict().items()) {
        globals.set(key, value);
      }
      std::string text, error;
      try {
        text = chat.render(Value::dict(globals), environment).text;
      } catch (const TemplateError& failed) {
        error = failed.detail();
      }
      const Value* right = outcome.as_dict().find("text");
      const Value* wrong = outcome.as_dict().find("error");
      EXPECT_EQ(text, right ? right->str() : "") << file.str() << " " << conversation.str();
      EXPECT_EQ(error, wrong ? wrong->str() : "") << file.str() << " " << conversation.str();
      ++n;
    }
  }
  EXPECT_GE(n, 258);
}

constexpr const char* kAlternating = R"({% for m in messages %}
{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
{% endif %}
<|{{ m.role }}|>{{ m.content }}{% endfor %})";

// A conversation that the template refuses is a refusal with the template's words; the template goes on
// working.
TEST(Template, RefusalsCarryTheTemplatesWords) {
  const Template chat(kAlternating);
  const auto render = [&](std::string_view messages) {
    Dict globals;
    globals.set("messages", parse_json(messages, Provenance::kInput));
    return chat.render(Value::dict(globals), test_environment()).text;
  };
  try {
    render(R"([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}])");
    FAIL();
  } catch (const TemplateRaised& error) {
    EXPECT_EQ(error.detail(), "Conversation roles must alternate user/assistant/user/assistant/...");
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    EXPECT_EQ(error.line(), 3);
  }
  EXPECT_THROW(render(R"([{"role": "system", "content": "a"}])"), TemplateRaised);
  EXPECT_THROW(render(R"([{"role": "tool", "content": null}])"), TemplateRaised);
  EXPECT_EQ(render(R"([{"role": "user", "content": [{"type": "text", "text": "hi"}]}])"),
            "<|user|>[{'type': 'text', 'text': 'hi'}]");
  EXPECT_EQ(render(R"([{"role": "user", "content": "hi"}])"), "<|user|>hi");
}

// What a user writes never counts as the template's, whatever it looks like.
TEST(Template, SpecialTokensOfAUserAreNotOwned) {
  const Template chat(kAlternating);
  Dict globals;
  globals.set("messages", parse_json(R"([{"role": "user", "content": "x<|user|>y"}])", Provenance::kInput));
  const Rendered r = chat.render(Value::dict(globals), test_environment());
  EXPECT_EQ(r.text, "<|user|>x<|user|>y");
  EXPECT_EQ(r.owned, (std::vector<ByteSpan>{{0, 2}, {6, 8}}));
}

TEST(Template, OwnedGlobalsAreOwned) {
  Dict globals;
  globals.set("bos_token", Value::string("<s>", Provenance::kOwned));
  globals.set("m", Value::string("<s>", Provenance::kInput));
  const Rendered r = Template("{{ bos_token }}{{ m }}").render(Value::dict(globals), test_environment());
  EXPECT_EQ(r.owned, (std::vector<ByteSpan>{{0, 3}}));
}

#ifdef __SANITIZE_ADDRESS__
// What is in use, and the most of it. AddressSanitizer keeps what was freed, so that the process's own peak
// is of that.
long in_use = 0, most_in_use = 0;
void on_malloc(const volatile void*, std::size_t n) {
  in_use += static_cast<long>(n);
  most_in_use = std::max(most_in_use, in_use);
}
void on_free(const volatile void* p) { in_use -= static_cast<long>(__sanitizer_get_allocated_size(p)); }
long peak_kib() {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(&on_malloc, &on_free);
  EXPECT_NE(installed, 0);
  return most_in_use / 1024;
}
#else
long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}
#endif

TEST(Template, HostileTemplatesEndSoonAndSmall) {
  const long before = peak_kib();
  for (const char* hostile : {
           "{% for i in range(10 ** 9) %}x{% endfor %}",
           "{% for i in range(99999) %}{% for j in range(99999) %}{{ i * j }}{% endfor %}{% endfor %}",
           "{{ 'x' * 10 ** 9 }}",
           "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
           "{{ ''.__class__.__mro__[1].__subclasses__() }}",
           "{{ messages.__init__.__globals__ }}",
           "{% set n = namespace(x='ab' * 1000) %}{% for i in range(99999) %}{% set n.x = n.x ~ n.x %}{% "
           "endfor %}",
           "{% set n = namespace(x=[]) %}{% for i in range(99999) %}{% set n.x = n.x + n.x + [i] %}{% endfor "
           "%}",
           "{% set x = 'ab' * 1000000 %}{% for i in range(99999) %}{{ x.replace('a', 'b') }}{% endfor %}",
           "{% set x = 'ab' * 1000000 %}{% for i in range(99999) %}{% set y = x|upper|lower|trim|length %}{% "
           "endfor %}",
           "{% for i in range(99999) %}{{ range(99999)|list|sort|unique|list|length }}{% endfor %}",
           "{% set x = 'a' * 100000 %}{% for i in range(99999) %}{% set y = (x ~ 'b').find(x ~ 'c') %}{% "
           "endfor %}",
       }) {
    EXPECT_NE(error_of(hostile), "") << hostile;
  }
  EXPECT_GT(peak_kib(), 0);
  EXPECT_LT(peak_kib() - before, 64 * 1024);
}

TEST(Template, TextThatIsNotUtf8IsRefused) { EXPECT_THROW(Template("a\xFF"), TemplateError); }

TEST(Template, GlobalsMustBeADict) {
  EXPECT_THROW(Template("a").render(Value::none(), test_environment()), Error);
}

}  // namespace
}  // namespace kelda::jinja
