#include "jinja/html.h"

#include "jinja/rendering.h"

namespace kelda::jinja {
namespace {

TEST(Html, EscapesByteByByteOwner) {
  const Environment environment;
  Runtime rt(environment);
  Text text("a<", Provenance::kOwned);
  text.append("&", Provenance::kInput);
  const Text escaped = escape_html(rt, text);
  EXPECT_EQ(escaped.bytes(), "a&lt;&amp;");
  EXPECT_EQ(escaped.owned(), (std::vector<ByteSpan>{{0, 5}}));
}

}  // namespace
}  // namespace kelda::jinja
