#!/usr/bin/env bash
# Measures Criteo-shaped rows on their way from text to a trained model and prints a table. All figures come from this one
# run on this one machine, and every speed is listed with the loss that was reached at it.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash bench/figures.sh [ROWS] [WORK_FOLDER]     (defaults: 1000000, build/figures)

The text of 10,000,000 rows takes 2.4 GB. WORK_FOLDER keeps the text for the next run.
TEXT
}

case "${1:-}" in -h | --help) usage; exit 0 ;; esac
rows=${1:-1000000}
if ! [[ $rows =~ ^[1-9][0-9]*$ ]]; then
  usage >&2
  exit 2
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=${2:-build/figures}
bin=build/release
schema=examples/schemas/criteo.toml
valid_rows=$((rows / 10 > 0 ? rows / 10 : 1))

cmake --preset release -DWIDEHASH_BENCH=ON >/dev/null
cmake --build --preset release --target widehash criteo_rows naive_loop adagrad_loop >&2
mkdir -p "$work"

text() {  # text ROWS SEED: prints the path of the text, which is made if it does not exist
  local path=$work/rows-$1-$2.tsv
  [ -f "$path" ] || { $bin/bench/criteo_rows "$1" --seed "$2" >"$path.part" && mv "$path.part" "$path"; }
  echo "$path"
}
train_text=$(text "$rows" 1)
valid_text=$(text "$valid_rows" 2)

measured() {  # measured NAME COMMAND...: runs it with --json and keeps its output
  local name=$1
  shift
  echo "$name: $*" >&2
  "$@" --json >"$work/$name.json"
}
rm -rf "$work"/{train,valid,tables,tables-spilled} "$work"/*.model
cat "$train_text" "$valid_text" >/dev/null  # into the page cache, as for every later reader
$bin/bench/naive_loop $schema "$train_text" >"$work/naive.json"
$bin/bench/adagrad_loop $schema "$train_text" >"$work/adagrad.json"
measured transform-1 $bin/widehash transform --schema $schema "$train_text" -o "$work/train" --threads 1
rm -rf "$work/train"
measured transform $bin/widehash transform --schema $schema "$train_text" -o "$work/train"
$bin/widehash transform --schema $schema "$valid_text" -o "$work/valid" --quiet
measured verify $bin/widehash verify "$work/train"
measured fit-1 $bin/widehash fit --schema $schema "$train_text" -o "$work/tables" --threads 1
rm -rf "$work/tables"
measured fit $bin/widehash fit --schema $schema "$train_text" -o "$work/tables"
measured train-1 $bin/widehash train "$work/train" -o "$work/linear.model" --overwrite --threads 1
measured train $bin/widehash train "$work/train" -o "$work/linear.model" --overwrite --valid "$work/valid"
measured train-hidden $bin/widehash train "$work/train" -o "$work/hidden.model" --overwrite --valid "$work/valid" --hidden auto
measured evaluate $bin/widehash evaluate "$work/linear.model" "$work/valid"
measured predict-1 $bin/widehash predict "$work/linear.model" "$work/train" -o "$work/predictions.txt" --threads 1
measured predict $bin/widehash predict "$work/linear.model" "$train_text" -o "$work/predictions.txt"

/usr/bin/python3 - "$work" "$train_text" <<'PYTHON'
import json
import os
import pathlib
import sys

work, text_path = pathlib.Path(sys.argv[1]), sys.argv[2]
text_bytes = os.path.getsize(text_path)
naive = json.loads((work / "naive.json").read_text())
cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
print(f"{naive['rows']:,} rows of 39 features, {text_bytes / 1e6:,.0f} MB of text; {os.cpu_count()} threads of {cpu}\n")
print("| step | rows/s | MB/s of text | naive loop = 1 | peak memory | log loss | AUC |")
print("|---|---|---|---|---|---|---|")


def line(name, figures, reads_text):
    rate = figures["rows_per_second"]
    megabytes = f"{rate * text_bytes / naive['rows'] / 1e6:,.0f}" if reads_text else ""
    ratio = f"{rate / naive['rows_per_second']:.2f}"
    memory = figures.get("peak_memory_bytes")
    memory = f"{memory / 2**20:,.0f} MiB" if memory else ""
    loss, auc = (f"{figures[key]:.4f}" if figures.get(key) is not None else "" for key in ("log_loss", "auc"))
    print(f"| {name} | {rate / 1e6:.2f} M | {megabytes} | {ratio} | {memory} | {loss} | {auc} |")


line("naive loop, one thread, nothing kept", naive, True)
adagrad = json.loads((work / "adagrad.json").read_text())
line("plain Adagrad loop, one thread, codes in memory", adagrad["train"], False)
line("its prediction, nothing written", adagrad["predict"], False)
for name, title, reads_text in [
    ("transform-1", "transform, one thread", True),
    ("transform", "transform", True),
    ("verify", "verify", False),
    ("fit-1", "fit, one thread", True),
    ("fit", "fit", True),
    ("train-1", "train, linear, one thread", False),
    ("train", "train, linear", False),
    ("train-hidden", "train, `--hidden auto`", False),
    ("evaluate", "evaluate", False),
    ("predict-1", "predict, one thread", False),
    ("predict", "predict from text", True),
]:
    line(title, json.loads((work / f"{name}.json").read_text()), reads_text)
PYTHON
