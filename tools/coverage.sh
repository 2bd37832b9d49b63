#!/usr/bin/env bash
# Shows, per folder, the lines of the library that the unit tests and the tests under mpirun execute.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash tools/coverage.sh [--file FOLDER]

  (none)         build the preset coverage, run the unit tests and those under mpirun, print one line per folder
  --file FOLDER  print one line per file of FOLDER from the last such run, with the lines that were never run

Needs only gcov, which comes with g++. Without MPI, the tests under mpirun are left out.
CMAKE_BUILD_PARALLEL_LEVEL sets how many compilers run at a time.
TEXT
}

folder=""
case "${1:-}" in
  "") ;;
  --file) folder=${2:?} ;;
  -h | --help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ -z "$folder" ]; then
  cmake --preset coverage > /dev/null
  cmake --build --preset coverage
  find build/coverage -name '*.gcda' -delete
  # One process per module, not one per test as in ctest: at its end, each adds its counters to some two hundred files.
  for program in build/coverage/tests/*/*_tests build/coverage/tests/*/*_example; do
    "$program" --gtest_brief=1 > build/coverage/tests.log 2>&1 || { tail -n 30 build/coverage/tests.log; exit 1; }
  done
  # The processes of a job add their counters too, except those that are killed. Skipped tests are named.
  ctest --test-dir build/coverage -L mpi > build/coverage/mpi.log 2>&1 || { tail -n 30 build/coverage/mpi.log; exit 1; }
  ! grep Skipped build/coverage/mpi.log
fi
/usr/bin/python3 -B tools/coverage_report.py build/coverage $folder
