#!/usr/bin/env bash
# How adagrad's default learning rate depends on the batch size: log loss on held-out Criteo-shaped rows after one epoch with
# the default batch size, at rates of 16 / active columns * (batch / 512)^power. Neither seed is used for docs/benchmarks.md.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash bench/batch_rates.sh [WORK_FOLDER]

  WORK_FOLDER   default: build/batch_rates; 8,000,000 rows of shards, 1.2 GB at a time
TEXT
}

case "${1:-}" in -h | --help) usage; exit 0 ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=${1:-build/batch_rates}
widehash=build/release/widehash
mkdir -p "$work"

encode() {  # encode SCHEMA ROWS SEED FOLDER
  rm -rf "$4"
  build/release/bench/criteo_rows "$2" --seed "$3" |
    "$widehash" transform --schema "examples/schemas/$1.toml" - -o "$4" --quiet
}

echo "| schema | rows | batch | power 0 | 0.15 | 0.25 | 0.35 | 0.5 |"
echo "|---|---|---|---|---|---|---|---|"
for schema in criteo26 criteo26_balanced; do
  encode "$schema" 200000 12 "$work/held-out"
  for rows in 500000 2000000 8000000; do
    encode "$schema" "$rows" 11 "$work/train"
    batch=$((rows / 900)) # the default: the largest power of two that leaves 900 steps
    batch=$(awk "BEGIN { b = 512; while (2 * b <= $batch) b *= 2; print b }")
    printf '| `%s` | %d | %d |' "$schema" "$rows" "$batch"
    for power in 0 0.15 0.25 0.35 0.5; do
      rate=$(awk "BEGIN { print 16 / 104 * ($batch / 512) ^ $power }")
      "$widehash" train "$work/train" -o "$work/model" --overwrite --valid "$work/held-out" --batch-size "$batch" --lr "$rate" --quiet --json |
        /usr/bin/python3 -c 'import json, sys; print(" %.4f |" % json.load(sys.stdin)["epochs"][-1]["valid_log_loss"], end="")'
    done
    echo
  done
done
rm -rf "$work/train" "$work/held-out" "$work/model"
