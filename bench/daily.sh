#!/usr/bin/env bash
# Training by parts, each from the model of the parts before (`widehash train --from`), compared with training on all rows at
# once and on the last part only: log loss on the test rows, as a table. Flights, with the training rows in their order cut
# into two and into ten parts, and the defaults of `widehash train` for every part.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash bench/daily.sh [FLIGHTS_FOLDER] [WORK_FOLDER]     (defaults: examples/flights, build/daily)

FLIGHTS_FOLDER holds train.tsv.gz and test.tsv.gz. The program is build/release/widehash, or the one that WIDEHASH names.
TEXT
}

case "${1:-}" in -h | --help) usage; exit 0 ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
data=${1:-examples/flights}
work=${2:-build/daily}
program=${WIDEHASH:-build/release/widehash}
rm -rf "$work"
mkdir -p "$work"

encode() {  # encode TEXT FOLDER
  "$program" transform --schema examples/schemas/flights.toml "$1" -o "$work/$2" --overwrite --quiet
}

try() {  # try DATASET MODEL OPTION...
  "$program" train "$work/$1" -o "$work/$2" --overwrite --quiet "${@:3}"
}

loss() {  # loss MODEL
  "$program" evaluate "$work/$1" "$work/test" --json --quiet |
    /usr/bin/python3 -c 'import json, sys; print(f"{json.load(sys.stdin)['"'log_loss'"']:.4f}")'
}

gzip -dc "$data/train.tsv.gz" >"$work/all.tsv"
encode "$work/all.tsv" all
encode "$data/test.tsv.gz" test
rows=$(($(wc -l <"$work/all.tsv") - 1))
for parts in 2 10; do
  for ((part = 1; part <= parts; ++part)); do
    awk -v first=$((rows * (part - 1) / parts)) -v last=$((rows * part / parts)) \
      'NR == 1 || (NR - 1 > first && NR - 1 <= last)' "$work/all.tsv" >"$work/part.tsv"
    encode "$work/part.tsv" "$parts-$part"
  done
done

echo "| options | epochs | parts | all rows at once | first part | last part alone | part by part |"
echo "|---|---|---|---|---|---|---|"
for options in "" "--hidden 32,16" "--optimizer ftrl" "--optimizer adam"; do
  # The network and the optimizer are those of the model that training starts from.
  read -ra words <<<"$options"
  for epochs in 1 3; do
    try all all.model --epochs $epochs "${words[@]}"
    for parts in 2 10; do
      try "$parts-$parts" alone.model --epochs $epochs "${words[@]}"
      try "$parts-1" 1.model --epochs $epochs "${words[@]}"
      for ((part = 2; part <= parts; ++part)); do
        try "$parts-$part" "$part.model" --from "$work/$((part - 1)).model" --epochs $epochs
      done
      echo "| ${options:+\`$options\`} | $epochs | $parts | $(loss all.model) | $(loss 1.model) | $(loss alone.model) | $(loss $parts.model) |"
    done
  done
done
