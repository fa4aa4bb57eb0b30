# One interface target carries the rules that every Kelda target is compiled under.
add_library(kelda_options INTERFACE)
target_compile_options(kelda_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align -Woverloaded-virtual
  -Wnull-dereference
  # A fused multiply-add is written where it is meant and nowhere else: docs/adr/0009-equal-bits.md.
  -ffp-contract=off -fno-fast-math
  $<$<CONFIG:Release>:-fstack-protector-strong>)
target_compile_definitions(kelda_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
option(KELDA_WERROR "Warnings are errors" OFF)
if(KELDA_WERROR)
  target_compile_options(kelda_options INTERFACE -Werror)
endif()
if(KELDA_SANITIZE)
  target_compile_options(kelda_options INTERFACE -fsanitize=${KELDA_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(kelda_options INTERFACE -fsanitize=${KELDA_SANITIZE})
endif()
if(KELDA_COVERAGE)
  target_compile_options(kelda_options INTERFACE --coverage)
  target_link_options(kelda_options INTERFACE --coverage)
endif()
