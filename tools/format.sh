#!/usr/bin/env bash
# Looks whether the sources are formatted as .clang-format says. Ends with 1 where one is not.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash tools/format.sh [--fix]

  (none)  names each place that is not formatted, and each line of more than 120 columns
  --fix   formats the sources first; lines too long are left to you

Sources are what git knows or would add: C++ and CUDA.
TEXT
}

fix=no
case "${1:-}" in
  "") ;;
  --fix) fix=yes ;;
  -h | --help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# A source that is deleted and not yet committed is listed, and is not there.
on_sources() {
  git ls-files -z --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.cu' '*.cuh' |
    xargs -0 sh -c 'for path; do [ ! -f "$path" ] || printf "%s\0" "$path"; done' sh | xargs -0 "$@"
}

is_right=yes
if command -v clang-format >/dev/null; then
  [ "$fix" = no ] || on_sources clang-format -i
  on_sources clang-format --dry-run --Werror || is_right=no
fi
# What clang-format leaves alone: comments end at column 110 as code does, drawings in them at 120.
on_sources awk 'length > 120 { print FILENAME ":" FNR ": longer than 120 columns"; long = 1 } END { exit long }' ||
  is_right=no
if [ "$is_right" = no ]; then
  echo "Sources are not formatted: run bash tools/format.sh --fix, and break the lines that are too long." >&2
  exit 1
fi
if ! command -v clang-format >/dev/null; then
  echo "Skipped but for the length of lines: there is no clang-format here." >&2
  exit 77
fi
