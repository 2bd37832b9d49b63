#!/usr/bin/env bash
# Checks that the sources are formatted as .clang-format says. Ends with 1 if one is not.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash tools/format.sh [--fix]

  (none)  name each place that is not formatted, and each line of more than 120 columns
  --fix   format the sources first; lines that are too long are left to you

Sources are the C++ and CUDA files that git tracks or would add.
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
# Git lists a source that is deleted but not yet committed, although it no longer exists.
on_sources() {
  git ls-files -z --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.cu' '*.cuh' |
    xargs -0 sh -c 'for path; do [ ! -f "$path" ] || printf "%s\0" "$path"; done' sh | xargs -0 "$@"
}

is_right=yes
if command -v clang-format >/dev/null; then
  [ "$fix" = no ] || on_sources clang-format -i
  on_sources clang-format --dry-run --Werror || is_right=no
fi
# clang-format leaves these alone: comments end at column 110 as code does, drawings in them at 120.
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
