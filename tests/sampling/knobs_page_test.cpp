#include "sampling/knobs_page.h"

#include "base/file.h"
#include "sampling/draws.h"

namespace kelda::sampling {
namespace {

TEST(KnobsPage, NamesEveryKnobAndStage) {
  const std::string page = knobs_page();
  for (const Knob* knob : request_knobs()) {
    EXPECT_NE(page.find("| " + std::string(knob->name) + " | `" + flag_name(knob->name) + "` |"),
              std::string::npos)
        << knob->name;
  }
  std::size_t last = 0;
  for (const SamplerSpec* spec : samplers_in_order()) {
    const std::size_t at = page.find(". `" + std::string(spec->name) + "`:");
    ASSERT_NE(at, std::string::npos) << spec->name;
    EXPECT_GT(at, last);
    last = at;
  }
}

TEST(KnobsPage, SaysThatCommandsHaveAProfile) {
  const std::string page = knobs_page();
  EXPECT_NE(page.find("house profile: temperature 0.7, top_p 0.95."), std::string::npos) << page;
  EXPECT_LT(page.find("house profile"), page.find("| Name |"));
}

TEST(KnobsPage, TheCommittedOneIsFresh) {
  const std::string committed = read_text(KELDA_SOURCE_DIR "/docs/reference/knobs.md", 1 << 20);
  EXPECT_EQ(committed, knobs_page()) << "run: kelda docs knobs > docs/reference/knobs.md";
}

}  // namespace
}  // namespace kelda::sampling
