#!/usr/bin/env bash
# The cost of one row more than fills the batches, and the effect of rows with large weights: log loss on real flights and on
# generated rows. Set WIDEHASH to measure another program, such as one built from an older commit.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: [WIDEHASH=program] bash bench/even_steps.sh [DATA_FOLDER] [WORK_FOLDER]   (defaults: ../shared/data, build/even-steps)
TEXT
}

case "${1:-}" in -h | --help) usage; exit 0 ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
data=${1:-../shared/data}
work=${2:-build/even-steps}
program=${WIDEHASH:-build/release/widehash}
mkdir -p "$work"

encode() { "$program" transform --schema "$1" "$work/$2.tsv" -o "$work/$2" --overwrite --quiet; }
loss() {  # loss ROWS VALID TRAIN_OPTION...
  local rows=$1 valid=$2
  shift 2
  "$program" train "$work/$rows" -o "$work/model" --overwrite --quiet "$@"
  "$program" evaluate "$work/model" "$work/$valid" --json |
    python3 -c 'import json, sys; m = json.load(sys.stdin); print("%.4f (best constant %.4f)" % (m["log_loss"], m["constant_log_loss"]))'
}

zcat "$data/flights/train.tsv.gz" >"$work/all.tsv"
zcat "$data/flights/test.tsv.gz" >"$work/test.tsv"
"$program" inspect "$work/all.tsv" --label late -o "$work/flights.toml" --overwrite --quiet
encode "$work/flights.toml" test
for rows in 102400 102401; do
  head -$((rows + 1)) "$work/all.tsv" >"$work/flights-$rows.tsv"
  encode "$work/flights.toml" "flights-$rows"
  for options in "--optimizer ftrl" "--lr-decay none"; do
    # shellcheck disable=SC2086
    echo "flights, $rows rows, train $options: $(loss "flights-$rows" test $options)"
  done
done

printf 'label = "y"\nweight = "w"\n[[feature]]\nfield = "c"\ncardinality = 5\n' >"$work/rare.toml"
python3 - >"$work/rare.tsv" <<'PYTHON'
import random
random.seed(1)
print("y\tc\tw")
for _ in range(100000):
    y = int(random.random() < 0.001)
    print(f"{y}\t{random.randrange(5)}\t{1000 if y else 1}")
PYTHON
encode "$work/rare.toml" rare
echo "one row in a thousand that weighs 1000, train --epochs 10: $(loss rare rare --epochs 10)"
