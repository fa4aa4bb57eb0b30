// KELDA_CHECK(condition): our own invariants, in every build. Aborts with the place. Never reachable from a
// file's or a request's bytes: those are kelda::Error.
#pragma once

namespace kelda {
[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;
}

#define KELDA_CHECK(condition)                         \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::kelda::check_failed(#condition, __FILE__, __LINE__))
