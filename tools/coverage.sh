#!/usr/bin/env bash
# Lines of the library that the unit tests run, per folder.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash tools/coverage.sh [--file FOLDER]

  (none)         builds the preset coverage, runs the unit tests, prints a line a folder
  --file FOLDER  of the last such run: a line a file of FOLDER, with the lines that were never run

Needs gcov, which comes with g++, and nothing else.
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
  ctest --preset coverage --parallel "$(nproc)" --label-regex unit --output-log build/coverage/tests.log > /dev/null ||
    { tail -n 30 build/coverage/tests.log; exit 1; }
fi
/usr/bin/python3 -B tools/coverage_report.py build/coverage $folder
