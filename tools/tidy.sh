#!/usr/bin/env bash
# Runs clang-tidy over the sources, with the checks of .clang-tidy. Ends with 1 if one of them finds something.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash tools/tidy.sh [--jobs N] [--since COMMIT] [FILE...]

  (none)          check every source of the library, the program, the Python package and the benchmarks: about half
                  an hour on one core
  --since COMMIT  check the sources changed since COMMIT, those that include a changed public header, and those in the
                  folder of a changed private header
  FILE...         check these sources
  --jobs N        check N sources at a time (default: one per core)

Device code is checked as plain C++, as the simulated device compiles it. The script configures builds with clang, whose
flags clang-tidy knows, and compiles nothing.
TEXT
}

since=""
jobs=$(nproc)
while [ $# -gt 0 ]; do
  case "$1" in
    --since) since=${2:?}; shift ;;
    --jobs) jobs=${2:?}; shift ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) break ;;
  esac
  shift
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
for program in clang-tidy clang++; do
  if ! command -v "$program" > /dev/null; then
    echo "Skipped: there is no $program here." >&2
    exit 77
  fi
done

folders=(src hashing sparse parallel python tools bench)
sources=("${folders[@]/%//*.cpp}" "${folders[@]/%//*.cu}")
if [ -n "$since" ]; then
  changed=$(git diff --name-only "$since" -- "${folders[@]}" include)
  set -- $(for path in $changed; do
    case "$path" in
      *.cpp | *.cu) echo "$path" ;;
      include/*) git grep -l "<${path#include/}>" -- "${sources[@]}" || true ;;
      *.hpp | *.cuh) git ls-files "$(dirname "$path")/*.cpp" "$(dirname "$path")/*.cu" ;;
    esac
  done | sort -u)
  [ $# -gt 0 ] || { echo "No source changed since $since."; exit 0; }
elif [ $# -eq 0 ]; then
  set -- $(git ls-files "${sources[@]}")
fi

# Two builds, so that a source and its stand-in are both checked: one with the simulated device and MPI; one without
# MPI, with plain threads, and with the toolkit if there is one.
common=(--preset fuzz -D WIDEHASH_FUZZ=OFF -D WIDEHASH_SANITIZE= -D WIDEHASH_TEST_MODULES=cuda -D WIDEHASH_TOOLS=ON -D WIDEHASH_BENCH=ON
        -D WIDEHASH_PYTHON_PACKAGE=AUTO)
builds=(build/tidy build/tidy-without)
cmake "${common[@]}" -B "${builds[0]}" -D WIDEHASH_MPI=AUTO > /dev/null
cmake "${common[@]}" -B "${builds[1]}" -D WIDEHASH_THREADS=PLAIN -D WIDEHASH_CUDA=AUTO > /dev/null

# nvcc's flags are not clang's, so a kernel must be in the build with the simulated device.
build_of() {
  local build
  for build in "${builds[@]}"; do
    case "$build:$1" in build/tidy-without:*.cu) continue ;; esac
    if grep -q "\"file\": \".*/$1\"" "$build/compile_commands.json"; then echo "$build"; return; fi
  done
}
work=()
for path in "$@"; do
  [ -f "$path" ] || continue
  build=$(build_of "$path")
  if [ -n "$build" ]; then work+=("$build" "$path"); else echo "not read, since this machine has no build of it: $path"; fi
done
[ ${#work[@]} -gt 0 ] || { echo "None of these is built here."; exit 0; }
echo "clang-tidy over $((${#work[@]} / 2)) sources"
printf '%s\n' "${work[@]}" | xargs -P "$jobs" -n 2 sh -c 'clang-tidy -p "$0" --quiet "$1"' \
  2> >(grep -vE "warnings? (and [0-9]+ errors? )?generated|^Suppressed|^Use -header|^$" >&2) || exit 1
echo "clean"
