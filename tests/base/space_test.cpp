#include "base/space.h"

#include <gtest/gtest.h>

namespace kelda {
namespace {

TEST(Space, IsWhatPythonStripsAway) {
  for (const uint32_t c : {0x09u, 0x0Du, 0x1Cu, 0x1Fu, 0x20u, 0x85u, 0xA0u, 0x2003u, 0x2029u, 0x3000u})
    EXPECT_TRUE(is_space(c)) << c;
  for (const uint32_t c : {0x00u, 0x08u, 0x0Eu, 0x1Bu, 0x21u, 0x200Bu, 0xFEFFu, 0x110000u})
    EXPECT_FALSE(is_space(c)) << c;
}

}  // namespace
}  // namespace kelda
