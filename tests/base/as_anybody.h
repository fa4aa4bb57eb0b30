// For tests of what a user may not do.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

namespace kelda {

// Root may read everything, so for this it becomes nobody.
class AsAnybody {
 public:
  AsAnybody() : was_(::geteuid()) {
    constexpr uid_t kNobody = 65534;
    ready_ = was_ != 0 || ::seteuid(kNobody) == 0;
  }
  ~AsAnybody() {
    if (was_ == 0) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }
  AsAnybody(const AsAnybody&) = delete;
  AsAnybody& operator=(const AsAnybody&) = delete;
  bool ready() const { return ready_; }

 private:
  uid_t was_;
  bool ready_ = false;
};

}  // namespace kelda
