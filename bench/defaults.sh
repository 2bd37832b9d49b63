#!/usr/bin/env bash
# How the default learning rate and epsilon of `widehash train` were chosen: log loss on rows held out of the training rows,
# never on the test rows. Prints one line per setting: the loss after each epoch.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash bench/defaults.sh DATA [WORK_FOLDER]

  DATA          folder with flights/train.tsv.gz and adult/adult.data.gz (a missing folder is left out)
  WORK_FOLDER   default: build/defaults
TEXT
}

case "${1:-}" in -h | --help | "") usage; [ -n "${1:-}" ] && exit 0 || exit 2 ;; esac
data=$1
work=${2:-build/defaults}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
widehash=$PWD/build/release/widehash
mkdir -p "$work"

encode() {  # encode NAME SCHEMA TEXT HEADER_LINES: nine tenths to train on, a tenth to judge by
  local name=$1 schema=$2 text=$3 header=$4
  gzip -dcf "$text" | awk -v h="$header" 'NF && (NR <= h || NR % 10 != 0)' >"$work/$name.learn"
  gzip -dcf "$text" | awk -v h="$header" 'NF && (NR <= h || NR % 10 == 0)' >"$work/$name.valid"
  rm -rf "$work/$name".{tables,train,held-out}
  "$widehash" fit --quiet --schema "$schema" "$work/$name.learn" -o "$work/$name.tables" >/dev/null
  "$widehash" transform --quiet --schema "$schema" --tables "$work/$name.tables" "$work/$name.learn" \
    -o "$work/$name.train" >/dev/null
  "$widehash" transform --quiet --schema "$schema" --tables "$work/$name.tables" "$work/$name.valid" \
    -o "$work/$name.held-out" >/dev/null
}

try() {  # try NAME EPOCHS OPTION...
  local name=$1 epochs=$2
  shift 2
  "$widehash" train "$work/$name.train" -o "$work/x.model" --overwrite --valid "$work/$name.held-out" --epochs "$epochs" --quiet \
    --json "$@" |
    /usr/bin/python3 -c '
import json, sys
losses = [epoch["valid_log_loss"] for epoch in json.load(sys.stdin)["epochs"]]
print("|", " | ".join([sys.argv[1], sys.argv[2], " ".join(f"{loss:.4f}" for loss in losses)]), "|", flush=True)
' "$name" "$*"
}

names=()
if [ -d "$data/flights" ]; then
  encode flights examples/schemas/flights.toml "$data/flights/train.tsv.gz" 1
  encode flights-exact examples/schemas/flights_exact.toml "$data/flights/train.tsv.gz" 1
  names+=(flights:40 flights-exact:10)
fi
if [ -d "$data/adult" ]; then
  encode adult examples/schemas/adult.toml "$data/adult/adult.data.gz" 0
  names+=(adult:36)
fi

echo "| data | options | log loss after each epoch |"
echo "|---|---|---|"
for item in "${names[@]}"; do
  name=${item%:*} active=${item#*:}
  for share in 4 8 16 32; do
    rate=$(awk "BEGIN { print $share / $active }")
    try "$name" 10 --lr "$rate"
    try "$name" 1 --lr "$rate"
  done
  try "$name" 10 --lr-decay none --lr "$(awk "BEGIN { print 4 / $active }")"
  try "$name" 10 --epsilon 1e-10
  try "$name" 10 --l2 0
  for size in 128 2048; do try "$name" 10 --batch-size $size; done
  for rate in 0.05 0.1 0.2; do try "$name" 5 --hidden 32 --lr $rate; done
done
