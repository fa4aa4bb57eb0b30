// A row of each type, for the tests of Knobs.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/knob.h"

namespace kelda {

inline const Knob kRatioRow{.name = "top_p", .def = 1, .lo = 0, .hi = 1, .lo_open = true, .help = "A ratio."};
inline const Knob kFreeRow{.name = "temperature", .def = 1, .lo = 0, .hi = kUnbounded, .help = "Any size."};
inline const Knob kCountRow{
    .name = "top_k", .type = KnobType::kInt, .def = 0, .lo = 0, .hi = 2147483647, .help = "A count."};
inline const Knob kSignedRow{
    .name = "window", .type = KnobType::kInt, .def = -1, .lo = -1, .hi = 2147483647, .help = "A window."};
inline const Knob kSwitchRow{.name = "ignore_eos", .type = KnobType::kBool, .help = "A switch."};
inline const Knob kSeedRow{.name = "seed", .type = KnobType::kSeed, .help = "A seed."};
inline const Knob kTextRow{.name = "label", .type = KnobType::kText, .max_bytes = 8, .help = "A text."};
inline const Knob kListRow{
    .name = "stop", .type = KnobType::kTextList, .max_items = 3, .max_bytes = 8, .help = "Texts."};
inline const Knob kBiasRow{.name = "logit_bias",
                           .type = KnobType::kTokenBias,
                           .lo = -100,
                           .hi = 100,
                           .max_items = 3,
                           .help = "Biases."};
inline const Knob kIdsRow{
    .name = "stop_token_ids", .type = KnobType::kTokenIds, .max_items = 3, .help = "Ids."};

inline const Knob kChoiceRow{
    .name = "profile", .type = KnobType::kText, .max_bytes = 8, .help = "One of some.", .choices = [] {
      return std::vector<std::string_view>{"left", "right"};
    }};
inline const Knob kChoicesRow{.name = "order",
                              .type = KnobType::kTextList,
                              .max_items = 3,
                              .max_bytes = 8,
                              .help = "Some of some.",
                              .def_texts = {"right"},
                              .choices = [] {
                                return std::vector<std::string_view>{"left", "right"};
                              }};

inline const std::vector<const Knob*> kRows = {&kRatioRow,  &kFreeRow, &kCountRow,  &kSignedRow,
                                               &kSwitchRow, &kSeedRow, &kTextRow,   &kListRow,
                                               &kBiasRow,   &kIdsRow,  &kChoiceRow, &kChoicesRow};

// The message of the kUsage error that `act` throws; "" and a failure if it throws none.
inline std::string usage_error(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUsage) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

inline bool mentions(const std::string& message, std::string_view part) {
  return message.find(part) != std::string::npos;
}

}  // namespace kelda
