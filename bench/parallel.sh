#!/usr/bin/env bash
# Compares ways of parallel training: time and loss by number of devices, as a table in Markdown.
set -euo pipefail
shopt -s inherit_errexit

usage() {
  cat <<'TEXT'
usage: bash bench/parallel.sh flights             quality and time on the sample of flights, 1 to 4 devices
       bash bench/parallel.sh efficiency DATASET [ROWS...]
                                                  time of 2 devices of one thread each compared with 1, by way and rows per batch
                                                  (default: 1024 16384 65536)

`flights` gives the time of the fastest epoch of REPEATS (default 5) trainings of 3 epochs. With fewer cores than devices,
times say nothing about scaling.

`efficiency` runs REPEATS rounds (default 9) of trainings of 4 epochs: on one device; two independent trainings on one device
each at the same time; and each way. Columns: see bench/parallel_efficiency.py.
TEXT
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=${WIDEHASH:-build/release/widehash}
[ -x "$program" ] || { echo "$program is not built: cmake --preset release && cmake --build --preset release" >&2; exit 1; }
work=$(mktemp -d -p "${TMPDIR:-/tmp}")
trap 'rm -rf "$work"' EXIT

field() {  # field FILE EXPRESSION: evaluates EXPRESSION for the JSON object x in FILE
  python3 -c 'import json,sys; x = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

once() {  # once NAME TRAIN_ARGUMENTS...: of all trainings of NAME, keeps the report with the fastest epoch in NAME.json
  local name=$1
  shift
  "$program" train "$@" -o "$work/model" --overwrite --json >"$work/now.json"
  if [ ! -f "$work/$name.json" ] || python3 -c "exit(not $(seconds now) < $(seconds "$name"))"; then
    mv "$work/now.json" "$work/$name.json"
  fi
}

seconds() {  # seconds NAME: the time of its fastest epoch
  field "$work/$1.json" 'min(e["seconds"] for e in x["epochs"])'
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
        for _ in $(seq "${REPEATS:-5}"); do
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

efficiency() {
  local dataset=$1
  shift
  [ $# -gt 0 ] || set -- 1024 16384 65536
  local ways=(data model "tower --mix parameters --mix-every 8")
  local columns=header
  for batch in "$@"; do
    rm -rf "$work/rounds"
    for round in $(seq "${REPEATS:-9}"); do
      local to=$work/rounds/$round i
      mkdir -p "$to"
      # shellcheck disable=SC2206
      local one=(train "$dataset" --batch-size "$batch" --epochs 4 --threads 1 --quiet ${EXTRA:-})
      "$program" "${one[@]}" -o "$work/model" --overwrite --profile "$to/one.json"
      "$program" "${one[@]}" -o "$work/model" --overwrite --profile "$to/pair-0.json" &
      "$program" "${one[@]}" -o "$work/model-1" --overwrite --profile "$to/pair-1.json"
      wait
      for i in "${!ways[@]}"; do
        # shellcheck disable=SC2086
        "$program" train "$dataset" --batch-size "$(tower_rows "${ways[i]}" "$batch")" --epochs 4 --threads 2 --devices cpu,cpu \
          --parallel ${ways[i]} --quiet ${EXTRA:-} -o "$work/model" --overwrite --profile "$to/two-$i.json"
      done
    done
    for i in "${!ways[@]}"; do
      python3 bench/parallel_efficiency.py "$work/rounds" "two-$i" "${ways[i]}" "$(tower_rows "${ways[i]}" "$batch")" $columns
      columns=""
    done
  done
}

tower_rows() {  # tower_rows WAY ROWS: the --batch-size with which two devices take ROWS per step
  case $1 in tower*) echo $(($2 / 2)) ;; *) echo "$2" ;; esac
}

case "${1:-}" in
  flights) flights ;;
  efficiency) [ $# -ge 2 ] || { usage >&2; exit 2; }; efficiency "${@:2}" ;;
  -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
