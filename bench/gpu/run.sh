#!/usr/bin/env bash
# On a machine with a GPU: builds, tests, looks for faults with compute-sanitizer, measures, and prints one table. Needs no
# network. Exit code 1 where there is no GPU, or a test or a measurement fails; 2 for a wrong command.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash bench/gpu/run.sh [OPTION...]

  --rows N         rows of training data (default 4000000; 240 bytes of text each, made once)
  --work FOLDER    text, datasets and results (default build/gpu)
  --markdown FILE  the section for docs/benchmarks.md (default FOLDER/benchmarks.md)
  --no-sanitizer   leave compute-sanitizer out, which takes the longest
  --build-only     configure and build, which needs the toolkit and no GPU
  --measure-only   leave tests and compute-sanitizer out
TEXT
}

rows=4000000
work=
markdown=
stage=all
sanitize=yes
while [ $# -gt 0 ]; do
  case "$1" in
    --rows | --work | --markdown)
      [ $# -ge 2 ] || { echo "$1 needs a value." >&2; usage >&2; exit 2; }
      case "$1" in --rows) rows=$2 ;; --work) work=$2 ;; --markdown) markdown=$2 ;; esac
      shift ;;
    --no-sanitizer) sanitize=no ;;
    --build-only) stage=build ;;
    --measure-only) stage=measure ;;
    -h | --help) usage; exit 0 ;;
    *) echo "What is $1?" >&2; usage >&2; exit 2 ;;
  esac
  shift
done
if ! [[ $rows =~ ^[1-9][0-9]*$ ]]; then
  echo "--rows wants a number, not '$rows'." >&2
  exit 2
fi

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=${work:-build/gpu}
markdown=${markdown:-$work/benchmarks.md}
bin=build/release
schema=examples/schemas/criteo26.toml
batch=65536
toolkit=${CUDA_HOME:-/usr/local/cuda}
python=python3

say() { printf '\n== %s\n' "$*" >&2; }

has_gpu() {
  command -v nvidia-smi >/dev/null && nvidia-smi --list-gpus 2>/dev/null | grep -q '^GPU'
}
if [ "$stage" != build ] && ! has_gpu; then
  echo "There is no GPU here (nvidia-smi lists none): nothing was built, tested or measured." >&2
  echo "With the toolkit alone, 'bash bench/gpu/run.sh --build-only' builds everything." >&2
  exit 1
fi
if ! command -v nvcc >/dev/null && [ ! -x "$toolkit/bin/nvcc" ]; then
  echo "There is no nvcc, neither on the path nor under $toolkit: install the CUDA toolkit, or set CUDA_HOME." >&2
  exit 1
fi

say "Build"
cmake --preset release -DWIDEHASH_CUDA=ON -DWIDEHASH_BENCH=ON -DWIDEHASH_TESTS=ON >&2
cmake --build --preset release --target widehash cuda_tests device_bench criteo_rows >&2
[ "$stage" != build ] || { echo "Built."; exit 0; }

mkdir -p "$work"
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.memory --format=csv | tee "$work/device.csv" >&2

if [ "$stage" = all ]; then
  say "Tests on the device"
  ctest --test-dir $bin --label-regex '^cuda$' --output-on-failure >&2
fi

sanitizer=$(command -v compute-sanitizer || echo "$toolkit/bin/compute-sanitizer")
if [ "$stage" = all ] && [ $sanitize = yes ]; then
  if [ -x "$sanitizer" ]; then
    for tool in memcheck racecheck initcheck synccheck; do
      say "compute-sanitizer $tool"
      "$sanitizer" --tool $tool --error-exitcode 1 $bin/tests/cuda/cuda_tests --gtest_brief=1 >&2
    done
  else
    echo "SKIPPED: compute-sanitizer is neither on the path nor under $toolkit." >&2
  fi
fi

say "Operations and limits"
rm -f "$work"/{device_bench,train-*,torch-*}.json
$bin/bench/gpu/device_bench --benchmark_repetitions=3 --benchmark_out="$work/device_bench.json" \
  --benchmark_out_format=json >&2

say "Training: $rows rows"
dataset() {  # dataset NAME ROWS SEED: the encoded rows, made where they are not there yet
  [ ! -f "$work/$1-$2/manifest.json" ] || return 0
  $bin/bench/criteo_rows "$2" --seed "$3" | $bin/widehash transform --schema $schema - -o "$work/$1-$2" --quiet
}
valid_rows=$((rows / 10 > 0 ? rows / 10 : 1))
dataset train "$rows" 1
dataset valid "$valid_rows" 2
for hidden in none 32; do
  $bin/widehash train "$work/train-$rows" --valid "$work/valid-$valid_rows" -o "$work/$hidden.model" --devices cuda:0 \
    --hidden $hidden --batch-size $batch --optimizer adagrad --epochs 1 --quiet --json >"$work/train-host-$hidden.json"
done

say "PyTorch"
if $python -c 'import torch, numpy; assert torch.cuda.is_available()' 2>/dev/null; then
  for part in "train-$rows" "valid-$valid_rows"; do
    [ -f "$work/$part.npz" ] || $bin/widehash export "$work/$part" --format npz -o "$work/$part.npz" --quiet
  done
  for hidden in none 32; do
    for input in device host; do
      $python -B bench/gpu/embedding_bag.py "$work/train-$rows.npz" "$work/valid-$valid_rows.npz" --hidden $hidden \
        --input $input --batch $batch >"$work/torch-$input-$hidden.json"
    done
  done
else
  echo "SKIPPED: '$python -c \"import torch, numpy\"' does not find a PyTorch that sees the GPU." >&2
fi

$python -B bench/gpu/table.py "$work" --markdown "$markdown"
