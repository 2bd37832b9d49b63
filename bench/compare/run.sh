#!/usr/bin/env bash
# widehash and its peers on the same Criteo-shaped rows, in one run on one machine: text to codes, text to a trained model,
# predictions, memory, disk. Every training speed is listed with the loss that was reached at it.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash bench/compare/run.sh [--rows N] [--work FOLDER] [--repeats N] [--only NAME...]

  --rows N        rows to learn from (default 2000000; a tenth as many are held out)
  --work FOLDER   text, shards, the peers' virtual environment (default build/compare). A folder in memory, such as
                  /dev/shm/compare, keeps the disk out of the figures; 2,000,000 rows take about 4 GB of it.
  --repeats N     runs of each measurement; the best one counts (default 3)
  --only NAME...  measure only jobs with one of these in their name or group; print them and do not write the docs

Needs python3 with venv, and PyPI for the peers of bench/compare/requirements.txt (installed once per work folder).
Writes results.json and compare.png into FOLDER and, without --only, docs/benchmarks.md (between the marks `compare:begin`
and `compare:end`) and docs/compare.svg. On an otherwise idle machine, 2,000,000 rows take about ten minutes.
TEXT
}

case "${1:-}" in -h | --help) usage; exit 0 ;; esac
wrong() { usage >&2; exit 2; }
work=
arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    --work)
      [ $# -ge 2 ] || wrong
      work=$(realpath -m "$2")
      shift 2
      ;;
    --rows | --repeats)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || wrong
      arguments+=("$1" "$2")
      shift 2
      ;;
    --only)
      shift
      while [ $# -ge 1 ] && [[ $1 != --* ]]; do
        arguments+=("--only" "$1")
        shift
      done
      ;;
    *) wrong ;;
  esac
done
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=${work:-$PWD/build/compare}
mkdir -p "$work"
source bench/compare/prepare.sh
[ -n "${WIDEHASH_BIN:-}" ] || build_release
install_peers "$work/peers"
exec "$peers_python" bench/compare/compare.py --work "$work" --bin "${WIDEHASH_BIN:-build/release}" "${arguments[@]}"
