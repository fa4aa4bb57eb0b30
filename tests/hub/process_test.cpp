#include "hub/process.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/error.h"

namespace kelda::hub {
namespace {

ProcessOptions in_tmp() { return {.folder = "/tmp", .environment = {}, .tick = {}}; }

TEST(Process, GivesStatusAndOutput) {
  ProcessOptions options = in_tmp();
  options.environment = {"KELDA_WORD=hello"};
  const ProcessResult r = run_process({"sh", "-c", "echo $KELDA_WORD; pwd >&2; exit 7"}, options);
  EXPECT_EQ(r.exit_status, 7);
  EXPECT_EQ(r.output, "hello\n/tmp\n");
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}, in_tmp()).exit_status, 137);
}

TEST(Process, KeepsTheEndOfLongOutputAndNeverBlocksOnIt) {
  const ProcessResult r = run_process({"sh", "-c", "seq 1 100000; echo end"}, in_tmp());
  EXPECT_EQ(r.exit_status, 0);
  EXPECT_LE(r.output.size(), 4096u);
  EXPECT_TRUE(r.output.ends_with("100000\nend\n"));
}

TEST(Process, AMissingProgramIsNotFound) {
  try {
    run_process({"kelda-no-such-program"}, in_tmp());
    ADD_FAILURE() << "it ran";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kNotFound);
  }
}

TEST(Process, StoppingEndsTheChildrenToo) {
  ProcessOptions options = in_tmp();
  options.tick = [] { return false; };
  const auto begin = std::chrono::steady_clock::now();
  try {
    run_process({"sh", "-c", "sleep 600 & sleep 600"}, options);
    ADD_FAILURE() << "it slept ten minutes";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInterrupted);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

}  // namespace
}  // namespace kelda::hub
