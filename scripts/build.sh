#!/usr/bin/env bash
# Configures and builds.   scripts/build.sh PRESET [TARGET...]   (presets: CMakePresets.json)
# Warnings are errors with the compiler that the project is developed on; a newer one may warn of more.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:?usage: scripts/build.sh PRESET [TARGET...]}
shift
options=()
if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
case $preset in
  release)
    compiler=${CXX:-c++}
    if "$compiler" --version | head -n1 | grep -qi 'clang' || [ "$("$compiler" -dumpversion | cut -d. -f1)" != 12 ]; then
      echo "build.sh: $("$compiler" --version | head -n1): warnings are not errors (they are with g++ 12)" >&2
      options+=(-DKELDA_WERROR=OFF)
    else
      options+=(-DKELDA_WERROR=ON)
    fi
    ;;
esac

# What CMake tells of its presets is shown where it fails; warnings and errors, which come on stderr, always.
told=$(cmake --preset "$preset" --log-level=WARNING "${options[@]}") || { echo "$told" >&2; exit 1; }
if [ $# -gt 0 ]; then
  cmake --build "build/$preset" --target "$@" >&2
else
  cmake --build "build/$preset" >&2
fi
