// Memory that runs out within a step: whichever allocation it is, each request is told how it ended, and
// those that go on answer as if nothing had been. This file replaces operator new for the whole test program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <new>

#include "base/error.h"
#include "engine/engine.h"
#include "models/tiny_model.h"
#include "sampling/request_knobs.h"

namespace {

// Of this thread: how many allocations are still granted before one is refused; −1: all are.
thread_local int64_t granted = -1;
thread_local bool refused = false;

void* allocate_or_null(std::size_t size) noexcept {
  if (granted == 0) {
    granted = -1;
    refused = true;
    return nullptr;
  }
  if (granted > 0) --granted;
  return std::malloc(size > 0 ? size : 1);
}

void* allocate(std::size_t size) {
  void* memory = allocate_or_null(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace kelda {
namespace {

struct Told {
  std::vector<TokenId> ids;
  std::string text;
  std::optional<FinishReason> finish;
  ErrorCode code = ErrorCode::kInternal;
  std::string error;
};

class OutOfMemory : public ::testing::Test {
 protected:
  static constexpr int kRequests = 3;

  void SetUp() override {
    const auto path =
        testing::write_tiny_model(*models::find_family("llama"), {.format = "q8_0", .n_ctx = 256});
    model_ = Model::load(path, {}, pool_);
    std::filesystem::remove(path);
  }

  // Runs three requests, of which two end in the faulty step, where the allocation with that number is
  // refused. True if there was one of that number.
  bool run(int64_t n, int faulty_step, std::map<RequestId, Told>& told) {
    Runner runner(model_, {KvType::kF16, 0, 1024}, pool_);
    Engine engine(runner, {.prefill_chunk = 512, .kept_sequences = 2});
    for (const int max_tokens : {3, 8, 3}) {
      Request r{model_->tokenizer().encode_prompt("some text", text::Special::kText).ids,
                Knobs(sampling::request_knobs())};
      r.knobs.set_from_json(
          fmt::format(
              R"({{"max_tokens":{},"ignore_eos":true,"seed":{},"stop":["never said, this"],"logprobs":3,
              "processed_logprobs":true,"prompt_logprobs":2,"min_tokens":2}})",
              max_tokens, told.size()),
          "request");
      told[engine.add(std::move(r)).id] = {};
    }
    std::vector<Event> events;  // kept outside of what may fail: a reader's memory is its own matter
    events.reserve(64);
    refused = false;
    for (int step = 1;; ++step) {
      if (step == faulty_step) granted = n;
      const bool more = engine.step([&](const Event& e) {
        const int64_t left = std::exchange(granted, -1);
        events.push_back(e);
        granted = left;
      });
      granted = -1;
      if (!more) break;
    }
    for (const Event& e : events) {
      Told& t = told[e.request];
      EXPECT_FALSE(t.finish) << "an event after the last one";
      if (e.token) t.ids.push_back(*e.token);
      t.text += e.text;
      t.finish = e.finish;
      t.code = e.error_code;
      t.error = e.error;
    }
    return refused;
  }

  ThreadPool pool_{1};
  std::shared_ptr<const Model> model_;
};

TEST_F(OutOfMemory, EndsOneRequestAtMostAndTheOthersAnswerTheSame) {
  std::map<RequestId, Told> whole;
  run(-1, 0, whole);
  for (const int faulty_step : {1, 2, 3}) {  // 3: where two of them end
    int n_refused = 0;
    for (int64_t n = 0;; ++n) {
      std::map<RequestId, Told> told;
      if (!run(n, faulty_step, told)) break;
      ++n_refused;
      int n_errors = 0;
      for (const auto& [id, t] : told) {
        SCOPED_TRACE(fmt::format("step {}, allocation {}, request {}", faulty_step, n, id));
        ASSERT_TRUE(t.finish.has_value());
        if (t.finish == FinishReason::kError) {
          ++n_errors;
          EXPECT_EQ(t.code, ErrorCode::kOutOfMemory);
          EXPECT_EQ(t.error, "out of memory");
          EXPECT_LE(t.ids.size(), whole[id].ids.size());
          EXPECT_TRUE(std::equal(t.ids.begin(), t.ids.end(), whole[id].ids.begin()));
        } else {
          EXPECT_EQ(t.finish, whole[id].finish);
          EXPECT_EQ(t.ids, whole[id].ids);
          EXPECT_EQ(t.text, whole[id].text);
        }
      }
      EXPECT_LE(n_errors, 1);
    }
    EXPECT_GT(n_refused, 0) << "a step without allocations shows nothing";
  }
}

}  // namespace
}  // namespace kelda
