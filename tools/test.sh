#!/usr/bin/env bash
# Installs what is missing, builds everything with warnings as errors and runs every test.
# The last line is: N passed, N failed, N skipped
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash tools/test.sh [--asan | --tsan] [-- CTEST_OPTION...]

  (none)  preset dev: all tests with the checked standard library; also builds the benchmarks
  --asan  the same tests under the address and undefined-behaviour sanitizers
  --tsan  tests of base, hashing, parallel and pipeline under the thread sanitizer, on threads that it can follow
          (src/base/threads_plain.cpp)

Each of them also checks the format of the sources.
Arguments after `--` are passed to ctest, for example: bash tools/test.sh -- -R Encoder
TEXT
}

preset=dev
while [ $# -gt 0 ]; do
  case "$1" in
    --asan) preset=asan ;;
    --tsan) preset=tsan ;;
    -h | --help) usage; exit 0 ;;
    --) shift; break ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
bash tools/install-dependencies.sh --tests

# Checked before the build, which takes long, and reported again at the end, when this report is far above.
format_is_right=yes
bash tools/format.sh || [ $? -eq 77 ] || format_is_right=no

# Makes build/test-python, with Arrow, Polars and scikit-learn for the tests of the Python package, if pip can get them.
make_test_python() {
  local wanted=tests/python/requirements.txt place=build/test-python
  ! cmp --silent "$wanted" "$place/installed.txt" || return 0
  rm -rf "$place"
  if /usr/bin/python3 -m venv --without-pip --system-site-packages "$place" &&
    /usr/bin/python3 -m pip --python "$place/bin/python" install --quiet --requirement "$wanted"; then
    cp "$wanted" "$place/installed.txt"
  else
    rm -rf "$place"
    echo "What is tested with the packages of $wanted is left out: pip could not install them."
  fi
}
configuration=()
if [ "$preset" = dev ]; then
  # Nobody debugs what CI builds, and a fifth of the compiler's time goes into what only a debugger reads.
  [ -z "${CI:-}" ] || configuration+=(-D "CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG")
  make_test_python
  [ ! -d build/test-python ] || configuration+=(-D "WIDEHASH_TEST_PYTHON=$root/build/test-python/bin/python")
fi

cmake --preset "$preset" "${configuration[@]}"
cmake --build --preset "$preset"

results=$root/build/$preset/tests.xml
rm -f "$results"
tests_passed=yes
ctest --preset "$preset" --parallel "$(nproc)" --output-junit "$results" "$@" || tests_passed=no

[ "$format_is_right" = yes ] || echo "Sources are not formatted: bash tools/format.sh names the places, and formats them with --fix."
# A test that could not be started was not skipped; it failed.
/usr/bin/python3 - "$results" <<'PYTHON'
import sys
import xml.etree.ElementTree as xml

passed = failed = skipped = 0
for case in xml.parse(sys.argv[1]).getroot().iter("testcase"):
    skip = case.find("skipped")
    if case.get("status") == "run":
        passed += 1
    elif case.get("status") == "disabled" or (skip is not None and skip.get("message", "").startswith("SKIP_")):
        skipped += 1
    else:
        failed += 1
print(f"{passed} passed, {failed} failed, {skipped} skipped")
PYTHON
[ "$tests_passed" = yes ] && [ "$format_is_right" = yes ]
