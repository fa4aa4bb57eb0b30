// What an error says, for tests of refusals.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.h"

namespace kelda {

// The message of the error with that code that `act` throws; "" and a failure if it throws none.
inline std::string error_of(ErrorCode code, const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace kelda
