#!/usr/bin/env bash
# Lines of the library that the unit tests and the tests under mpirun run, per folder.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash tools/coverage.sh [--file FOLDER]

  (none)         builds the preset coverage, runs the unit tests and those under mpirun, prints a line a folder
  --file FOLDER  of the last such run: a line a file of FOLDER, with the lines that were never run

Needs gcov, which comes with g++, and nothing else; without MPI the runs under mpirun are left out.
CMAKE_BUILD_PARALLEL_LEVEL says how many compilers run at a time.
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
  # A process a module, not one a test as ctest has it: at its end each adds its counters to some two hundred files.
  for program in build/coverage/tests/*/*_tests build/coverage/tests/*/*_example; do
    "$program" --gtest_brief=1 > build/coverage/tests.log 2>&1 || { tail -n 30 build/coverage/tests.log; exit 1; }
  done
  # The processes of a job add their counters too, those apart that are killed. A test that is skipped is named.
  ctest --test-dir build/coverage -L mpi > build/coverage/mpi.log 2>&1 || { tail -n 30 build/coverage/mpi.log; exit 1; }
  ! grep Skipped build/coverage/mpi.log
fi
/usr/bin/python3 -B tools/coverage_report.py build/coverage $folder
