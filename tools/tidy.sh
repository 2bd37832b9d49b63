#!/usr/bin/env bash
# clang-tidy over the sources, with the checks of .clang-tidy. Ends with 1 where one of them finds something.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash tools/tidy.sh [--since COMMIT] [FILE...]

  (none)          every source of the library and of the program: about 15 minutes of one core
  --since COMMIT  sources changed since then, and those whose folder has a changed header
  FILE...         these

Needs a configured build with clang: it configures the preset fuzz, whose flags clang knows, and builds nothing.
TEXT
}

since=""
while [ $# -gt 0 ]; do
  case "$1" in
    --since) since=$2; shift ;;
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

folders=(src hashing sparse parallel tools)
if [ -n "$since" ]; then
  changed=$(git diff --name-only "$since" -- "${folders[@]}" include)
  set -- $(for path in $changed; do
    case "$path" in
      *.cpp) echo "$path" ;;
      include/*) git grep -l "<${path#include/}>" -- "${folders[@]/%//*.cpp}" || true ;;
      *.hpp) git ls-files "$(dirname "$path")/*.cpp" ;;
    esac
  done | sort -u)
  [ $# -gt 0 ] || { echo "No source changed since $since."; exit 0; }
elif [ $# -eq 0 ]; then
  set -- $(git ls-files "${folders[@]/%//*.cpp}")
fi

build=build/tidy
cmake --preset fuzz -B "$build" -D WIDEHASH_TOOLS=ON -D WIDEHASH_SANITIZE= -D WIDEHASH_MPI=AUTO > /dev/null
# Sources that this machine does not build (CUDA, MPI or their stand-ins) have no flags to be read with.
known=$(for path in "$@"; do grep -q "/$path\"" "$build/compile_commands.json" && [ -f "$path" ] && echo "$path"; done || true)
[ -n "$known" ] || { echo "None of these is built here."; exit 0; }
echo "clang-tidy over $(wc -w <<< "$known") sources"
printf '%s\n' $known | xargs -P "$(nproc)" -n 1 clang-tidy -p "$build" --quiet 2> >(grep -vE "warnings? generated|^Suppressed|^Use -header" >&2)
echo "clean"
