#!/usr/bin/env bash
# How good the models with each encoding are on real tables, as a table: columns, parameters, log loss, AUC. Every model is
# trained on all training rows with the defaults of `widehash train`, for a number of epochs that was fixed beforehand (ten;
# one where rows are few and columns many), and judged by test rows that were not used for any choice.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash bench/quality.sh [DATA_FOLDER] [WORK_FOLDER]     (defaults: ../shared/data, build/quality)

DATA_FOLDER holds flights/{train,test}.tsv.gz, adult/adult.{data,test}.gz and criteo_sample/sample.train.tsv.gz, or some of
them. Without flights, the ones that tools/quickstart.sh fetched are used. Missing tables are left out with a message.
TEXT
}

case "${1:-}" in -h | --help) usage; exit 0 ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
data=${1:-../shared/data}
work=${2:-build/quality}
schemas=examples/schemas
program=build/release/widehash
cmake --preset release >/dev/null
cmake --build --preset release --target widehash >&2
mkdir -p "$work"
results=$work/results.tsv
: >"$results"

# cut_rows INPUT HEADER_LINES ROWS OF OUTPUT: keeps row n (from 0) if n mod OF is one of ROWS, and the header.
cut_rows() {
  gzip -dcf "$1" | awk -v header="$2" -v rows=" $3 " -v of="$4" \
    'NR <= header || index(rows, " " (NR - header - 1) % of " ")' >"$5"
}

# model TABLE TITLE SCHEMA TRAIN_OPTION...: trains on $work/TABLE-train.txt, judges by $work/TABLE-test.txt.
model() {
  local table=$1 title=$2 schema=$3
  shift 3
  echo "$table: $title" >&2
  rm -rf "$work"/{tables,train,test,model,model.checkpoint}
  $program fit --schema "$schema" "$work/$table-train.txt" -o "$work/tables" --quiet
  local part
  for part in train test; do
    $program transform --schema "$schema" --tables "$work/tables" "$work/$table-$part.txt" -o "$work/$part" --quiet
  done
  $program train "$work/train" -o "$work/model" --overwrite --epochs "$epochs" "$@" --json --quiet >"$work/train.json"
  $program evaluate "$work/model" "$work/test" --json --quiet >"$work/evaluate.json"
  printf '%s\t%s\t%s\t%s\n' "$table" "$title" "$(cat "$work/train.json")" "$(cat "$work/evaluate.json")" >>"$results"
}

flights=$data/flights
suffix=.tsv.gz
[ -f "$flights/train.tsv.gz" ] || { flights=quickstart-output/flights suffix=.tsv; }
if [ -f "$flights/train$suffix" ]; then
  epochs=10
  cut_rows "$flights/train$suffix" 1 "0" 1 "$work/flights-train.txt"
  cut_rows "$flights/test$suffix" 1 "0" 1 "$work/flights-test.txt"
  model flights "one-hot by hash, as many columns" $schemas/flights_one_hot.toml
  model flights "four-split" $schemas/flights.toml
  model flights "four-split and month x day" $schemas/flights_cross.toml
  model flights "four-split, \`--hidden auto\`" $schemas/flights.toml --hidden auto
  model flights "four-split, \`--hidden 32,16\`" $schemas/flights.toml --hidden 32,16
  model flights "exact one-hot" $schemas/flights_exact.toml
else
  echo "flights: not at hand, left out" >&2
fi

if [ -f "$data/adult/adult.data.gz" ]; then
  epochs=10
  cut_rows "$data/adult/adult.data.gz" 0 "0" 1 "$work/adult-train.txt"
  cut_rows "$data/adult/adult.test.gz" 0 "0" 1 "$work/adult-test.txt"
  model adult "four-split and numbers" $schemas/adult.toml
  model adult "four-split and numbers, \`--hidden auto\`" $schemas/adult.toml --hidden auto
else
  echo "adult: not at hand, left out" >&2
fi

if [ -f "$data/criteo_sample/sample.train.tsv.gz" ]; then
  epochs=1
  cut_rows "$data/criteo_sample/sample.train.tsv.gz" 0 "0 1 2 3 4 5 6 7" 10 "$work/criteo-train.txt"
  cut_rows "$data/criteo_sample/sample.train.tsv.gz" 0 "8 9" 10 "$work/criteo-test.txt"
  model criteo "four-split" $schemas/criteo.toml
  model criteo "four-split, counts as numbers" $schemas/criteo_numeric.toml
else
  echo "criteo_sample: not at hand, left out" >&2
fi

/usr/bin/python3 - "$results" <<'PYTHON'
import json
import sys

print("| table | encoding | columns | parameters | epochs | log loss | AUC |")
print("|---|---|---|---|---|---|---|")
for line in open(sys.argv[1]):
    table, title, train, judged = line.rstrip("\n").split("\t")
    train, judged = json.loads(train), json.loads(judged)
    print(f"| {table} | {title} | {train['num_columns']:,} | {train['num_parameters']:,} | {len(train['epochs'])} "
          f"| {judged['log_loss']:.4f} | {judged['auc']:.4f} |")
PYTHON
