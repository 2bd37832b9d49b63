#!/usr/bin/env bash
# Ways of training in parallel, side by side: time and loss by number of devices, as a table in Markdown.
set -euo pipefail
shopt -s inherit_errexit

usage() {
  cat <<'TEXT'
usage: bash bench/parallel.sh flights             quality and time on the sample of flights, 1 to 4 devices
       bash bench/parallel.sh efficiency DATASET [ROWS...]
                                                  time of 2 devices of a thread each against 1, by way and rows to a batch
                                                  (default: 1024 16384 65536)

Times are those of the fastest epoch of REPEATS (default 5) trainings of 3 epochs; with fewer cores than devices they say
nothing about scaling. `efficiency` trains in turn with one device, with two trainings of one device at the same time, and in
each way, so that what else the machine does meets all of them. Two trainings that know nothing of each other show what two
cores of this machine can give at all ("cores"); efficiency divided by that is what the way itself makes of them. On cores
that are not free, `chrt -f 10 bash bench/parallel.sh ...` takes them for the time.
TEXT
}

repeats=${REPEATS:-5}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=${WIDEHASH:-build/release/widehash}
[ -x "$program" ] || { echo "$program is not built: cmake --preset release && cmake --build --preset release" >&2; exit 1; }
work=$(mktemp -d -p "${TMPDIR:-/tmp}")
trap 'rm -rf "$work"' EXIT

field() {  # field FILE EXPRESSION: of the JSON object x in FILE
  python3 -c 'import json,sys; x = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

once() {  # once NAME TRAIN_ARGUMENTS...: keeps the report of the training of NAME with the fastest epoch in NAME.json
  local name=$1
  shift
  "$program" train "$@" -o "$work/model" --json >"$work/now.json"
  if [ ! -f "$work/$name.json" ] || python3 -c "exit(not $(seconds now) < $(seconds "$name"))"; then
    mv "$work/now.json" "$work/$name.json"
  fi
}

seconds() {  # seconds NAME: of its fastest epoch
  field "$work/$1.json" 'min(e["seconds"] for e in x["epochs"])'
}

seconds_at_once() {  # seconds_at_once NAME NAME: of the fastest epoch of two trainings at the same time, the slower of both
  python3 - "$work/$1.json" "$work/$2.json" <<'PYTHON'
import json, sys

both = ([e["seconds"] for e in json.load(open(path))["epochs"]] for path in sys.argv[1:])
print(min(map(max, *both)))
PYTHON
}

list() { printf 'cpu%.0s,' $(seq "$1") | sed 's/,$//'; }

flights() {
  for part in train test; do
    "$program" transform --schema examples/schemas/flights.toml examples/flights/$part.tsv.gz -o "$work/$part" --quiet
  done
  echo "| way | devices | rows to a step | test log loss | AUC | seconds an epoch | MB sent by a device |"
  echo "|---|---|---|---|---|---|---|"
  for hidden in none 8; do
    for way in "data" "model" "tower" "tower --mix parameters --mix-every 4" "tower --mix predictions"; do
      for devices in 1 2 3 4; do
        [ "$devices" = 1 ] && [ "$way" != data ] && continue
        rm -f "$work/run.json"
        for _ in $(seq "$repeats"); do
          # shellcheck disable=SC2086
          once run "$work/train" --hidden "$hidden" --epochs 3 --devices "$(list "$devices")" --parallel $way
        done
        "$program" evaluate "$work/model" "$work/test" --json > "$work/test.json"
        rows=512
        case $way in tower*) rows=$((512 * devices)) ;; esac
        printf '| %s, hidden %s | %s | %s | %.4f | %.4f | %.4f | %.2f |\n' "$way" "$hidden" "$devices" "$rows" \
          "$(field "$work/test.json" 'x["log_loss"]')" "$(field "$work/test.json" 'x["auc"]')" "$(seconds run)" \
          "$(field "$work/run.json" 'max(d["bytes_sent"] for d in x["parallel"]["devices"]) / 1e6')"
      done
    done
  done
}

two_at_once() {  # two_at_once TRAIN_ARGUMENTS...: two of them, next to each other; the fastest pair is in pair-0.json and pair-1.json
  local i pids=()
  for i in 0 1; do
    "$program" train "$@" -o "$work/model-$i" --json >"$work/now-$i.json" &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i"; done
  if [ ! -f "$work/pair-0.json" ] ||
    python3 -c "exit(not $(seconds_at_once now-0 now-1) < $(seconds_at_once pair-0 pair-1))"; then
    mv "$work/now-0.json" "$work/pair-0.json"
    mv "$work/now-1.json" "$work/pair-1.json"
  fi
}

efficiency() {
  local dataset=$1
  shift
  [ $# -gt 0 ] || set -- 1024 16384 65536
  local ways=(data model "tower --mix parameters --mix-every 8")
  echo "| way | rows to a batch | 1 device, s | 2 devices, s | efficiency | cores | efficiency / cores | reading and computing |"
  echo "|---|---|---|---|---|---|---|---|"
  for batch in "$@"; do
    rm -f "$work"/{one,two-*,pair-*}.json
    for _ in $(seq "$repeats"); do
      # shellcheck disable=SC2206
      local one=("$dataset" --batch-size "$batch" --epochs 3 --threads 1 ${EXTRA:-})
      once one "${one[@]}"
      two_at_once "${one[@]}"
      for i in "${!ways[@]}"; do
        # shellcheck disable=SC2086
        once "two-$i" "$dataset" --batch-size "$(tower_rows "${ways[i]}" "$batch")" --epochs 3 --threads 2 --devices cpu,cpu \
          --parallel ${ways[i]} ${EXTRA:-}
      done
    done
    for i in "${!ways[@]}"; do
      python3 - "${ways[i]}" "$(tower_rows "${ways[i]}" "$batch")" "$(seconds one)" "$(seconds "two-$i")" \
        "$(seconds_at_once pair-0 pair-1)" "$(field "$work/two-$i.json" 'x["parallel"]["efficiency"]')" <<'PYTHON'
import sys

way, rows, *times, busy = sys.argv[1:]
one, two, at_once = map(float, times)
efficiency, cores = one / two / 2, one / at_once
print(f"| {way} | {rows} | {one:.3f} | {two:.3f} | {efficiency:.2f} | {cores:.2f} | {efficiency / cores:.2f} | {float(busy):.2f} |")
PYTHON
    done
  done
}

tower_rows() {  # tower_rows WAY ROWS: the batch of a device of two that take ROWS to a step
  case $1 in tower*) echo $(($2 / 2)) ;; *) echo "$2" ;; esac
}

case "${1:-}" in
  flights) flights ;;
  efficiency) [ $# -ge 2 ] || { usage >&2; exit 2; }; efficiency "${@:2}" ;;
  -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
