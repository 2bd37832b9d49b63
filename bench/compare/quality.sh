#!/usr/bin/env bash
# How good models are for their number of parameters: every encoding, Vowpal Wabbit and L-BFGS on real tables.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash bench/compare/quality.sh [--data FOLDER] [--work FOLDER] [--only NAME...]

  --data FOLDER   real tables: flights/{train,test}.tsv.gz, adult/adult.{data,test}.gz, criteo_sample/sample.train.tsv.gz
                  (default: $WIDEHASH_DATA, else ../shared/data; flights are also in examples/flights)
  --work FOLDER   text, shards, the peers' virtual environment (default build/compare)
  --only NAME...  only these tables (flights, adult, criteo); print them and do not write the docs

Missing tables are left out with a message; all three take about eight minutes. Writes quality.json and quality.png into the
work folder and, without --only, docs/benchmarks.md (between the marks `quality:begin` and `quality:end`) and docs/quality.svg.
TEXT
}

case "${1:-}" in -h | --help) usage; exit 0 ;; esac
wrong() { usage >&2; exit 2; }
work=
data=${WIDEHASH_DATA:-}
arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    --work | --data)
      [ $# -ge 2 ] || wrong
      if [ "$1" = --work ]; then work=$(realpath -m "$2"); else data=$(realpath -m "$2"); fi
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
exec "$peers_python" bench/compare/quality.py --work "$work" --bin "${WIDEHASH_BIN:-build/release}" \
  --data "${data:-../shared/data}" "${arguments[@]}"
