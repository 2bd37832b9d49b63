#!/usr/bin/env bash
# On a machine with a GPU: runs the tests, checks with compute-sanitizer, measures, and prints one table. Needs no network,
# and with --prebuilt neither compiler nor toolkit. A step that fails, takes too long or is skipped is named, and the next
# one runs. Earlier measurements are kept, so that the steps can be divided among several runs. Exit code 1 if there is no
# GPU or a step failed; 2 for a wrong command.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash bench/gpu/run.sh [OPTION...]

  --rows N         rows of training data (default 3800000; 240 bytes of text each, made once)
  --work FOLDER    text, datasets and results (default build/gpu)
  --markdown FILE  the section for docs/benchmarks.md (default FOLDER/benchmarks.md)
  --build-only     configure, build and bundle, which needs the toolkit and no GPU
  --prebuilt       build nothing: run build/gpu-bundle, which --build-only made, here or on another machine
  --only STEPS     only these steps, separated by commas: tests, operations, training, flights, torch, counters, memcheck,
                   racecheck, initcheck, synccheck (the last four are compute-sanitizer's, and take the longest)
  --limit SECONDS  time limit for each program of a step (default 540)
  --total SECONDS  time limit for all of them; steps that no longer fit are named (default: none)
  --copy-to PLACE  copy results.tgz to this folder after every step, for machines that may disappear at any time

Besides the table, FOLDER/results.tgz has all measurements without the datasets; it is replaced after every step.
TEXT
}
all_steps=(tests operations training flights torch counters memcheck racecheck initcheck synccheck)

# Just below what `train` keeps mapped between epochs: 512 MiB at 140 bytes per row.
rows=3800000
work=
markdown=
stage=all
prebuilt=no
steps=("${all_steps[@]}")
limit=540
total=
copy_to=
while [ $# -gt 0 ]; do
  case "$1" in
    --rows | --work | --markdown | --only | --limit | --total | --copy-to)
      [ $# -ge 2 ] || { echo "$1 needs a value." >&2; usage >&2; exit 2; }
      case "$1" in
        --rows) rows=$2 ;;
        --work) work=$2 ;;
        --markdown) markdown=$2 ;;
        --only) IFS=, read -ra steps <<<"$2" ;;
        --limit) limit=$2 ;;
        --total) total=$2 ;;
        --copy-to) copy_to=$2 ;;
      esac
      shift ;;
    --build-only) stage=build ;;
    --prebuilt) prebuilt=yes ;;
    -h | --help) usage; exit 0 ;;
    *) echo "What is $1?" >&2; usage >&2; exit 2 ;;
  esac
  shift
done
for number in rows limit total; do
  if ! [[ ${!number} =~ ^[1-9][0-9]*$ || $number${!number} == total ]]; then
    echo "--$number wants a number, not '${!number}'." >&2
    exit 2
  fi
done
for name in "${steps[@]}"; do
  if ! [[ " ${all_steps[*]} " == *" $name "* ]]; then
    echo "--only: there is no step '$name'; there are ${all_steps[*]}." >&2
    exit 2
  fi
done
if [ $stage = build ] && [ $prebuilt = yes ]; then
  echo "--build-only builds and --prebuilt does not: which of them?" >&2
  exit 2
fi

if [ -n "$copy_to" ] && ! copy_to=$(realpath -e "$copy_to"); then
  echo "--copy-to wants a folder that is there." >&2
  exit 2
fi

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=${work:-build/gpu}
markdown=${markdown:-$work/benchmarks.md}
bundle=build/gpu-bundle
schema=examples/schemas/criteo26.toml
batch=65536
toolkit=${CUDA_HOME:-/usr/local/cuda}
python=python3

say() { printf '\n== %s\n' "$*" >&2; }

has_gpu() {
  command -v nvidia-smi >/dev/null && nvidia-smi --list-gpus 2>/dev/null | grep '^GPU' >/dev/null
}
if [ $stage != build ] && ! has_gpu; then
  echo "There is no GPU here (nvidia-smi lists none): nothing was built, tested or measured." >&2
  echo "With the toolkit alone, 'bash bench/gpu/run.sh --build-only' builds everything." >&2
  exit 1
fi

if [ $prebuilt = no ]; then
  if ! command -v nvcc >/dev/null && [ ! -x "$toolkit/bin/nvcc" ]; then
    echo "There is no nvcc, neither on the path nor under $toolkit: install the CUDA toolkit, set CUDA_HOME, or" >&2
    echo "bring $bundle from a machine that has one and run with --prebuilt." >&2
    exit 1
  fi
  say "Build"
  cmake --preset release -DWIDEHASH_CUDA=ON -DWIDEHASH_BENCH=ON -DWIDEHASH_TESTS=ON >&2
  cmake --build --preset release --target widehash cuda_tests device_bench criteo_rows >&2
  bash bench/gpu/bundle.sh >&2
  if [ $stage = build ]; then
    echo "Built. On a machine with a GPU and without a network: bring this folder with $bundle in it, and run"
    echo "bash bench/gpu/run.sh --prebuilt"
    exit 0
  fi
elif [ ! -f "$bundle/needs.txt" ]; then
  echo "There is no $bundle: 'bash bench/gpu/run.sh --build-only' makes it where the toolkit is." >&2
  exit 1
fi

# The folders of NVIDIA's libraries: the bundle, the system's folders, a toolkit, or a PyTorch installation.
library_path=$PWD/$bundle/lib
find_libraries() {
  local name folder found candidates
  candidates=("$bundle/lib" "$toolkit"/lib64 "$toolkit"/targets/*/lib /usr/local/cuda-*/lib64)
  while read -r folder; do candidates+=("$folder"/nvidia/*/lib); done < <(
    $python -c 'import site, sys; print(*{*sys.path, *site.getsitepackages()}, sep="\n")' 2>/dev/null | grep . || true)
  while read -r name; do
    found=
    # Not grep -q, which exits at the first match: ldconfig would fail, because nothing reads the rest.
    if ldconfig -p 2>/dev/null | grep "^[[:space:]]*$name " >/dev/null; then found=system; fi
    for folder in "${candidates[@]}"; do
      [ -z "$found" ] && [ -e "$folder/$name" ] || continue
      found=$folder
      case ":$library_path:" in *":$(realpath "$folder"):"*) ;; *) library_path+=":$(realpath "$folder")" ;; esac
    done
    [ -n "$found" ] || echo "MISSING: $name, which a step may fail for; 'bash bench/gpu/bundle.sh --with-cuda' where it is takes it along." >&2
  done < <(sed -n 's/^library //p' "$bundle/needs.txt")
}
find_libraries

libraries() { echo "$library_path${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"; }
out_of_time=75  # no program exits with this code
is_over() { [ -n "$total" ] && [ "$SECONDS" -ge "$total" ]; }
timed() {  # timed COMMAND...: 124 if it takes too long
  local seconds=$limit
  ! is_over || return $out_of_time
  if [ -n "$total" ] && [ $((total - SECONDS)) -lt "$seconds" ]; then seconds=$((total - SECONDS)); fi
  timeout --kill-after 10 "$seconds" "$@"
}
within_limit() {  # within_limit COMMAND...: with our libraries
  LD_LIBRARY_PATH=$(libraries) WIDEHASH_SOURCE_DIR=$PWD timed "$@"
}
ours() {  # ours PROGRAM ARGUMENT...: a program of the bundle
  within_limit "$bundle/bin/$@"
}
if ! devices=$(ours widehash devices); then
  echo "The programs of $bundle do not start here; they want $(sed -n 1p "$bundle/needs.txt") or later." >&2
  exit 1
fi
printf '%s\n' "$devices" >&2
if ! grep -q '^cuda:[0-9]' <<<"$devices"; then
  echo "nvidia-smi lists a GPU, and the programs see none: all tests would be skipped. Where the driver is older than the toolkit" >&2
  echo "they were built with, NVIDIA's package cuda-compat of that version, its folder in LD_LIBRARY_PATH, lets data-centre GPUs run them." >&2
  exit 1
fi

mkdir -p "$work"
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.memory --format=csv 2>&1 | tee "$work/device.csv" >&2 || true

outcomes=()
num_failed=0
wants() { [[ " ${steps[*]} " == *" $1 "* ]]; }
step() {  # step STEP NAME COMMAND...: runs it if STEP is wanted, and continues whatever its exit code; 77: not possible on this machine
  local wanted=$1 name=$2 code=0 outcome
  shift 2
  wants "$wanted" || return 0
  say "$name"
  if is_over; then
    code=$out_of_time
  else
    # Not in a condition, where bash ignores -e inside functions.
    set +e
    (set -e; "$@")
    code=$?
    set -e
  fi
  case $code in
    0) outcome=done ;;
    77) outcome=SKIPPED ;;
    "$out_of_time") outcome="FAILED: --total was over" ;;
    124 | 137) outcome="FAILED: it took more than $limit s${total:+, or --total was over}" ;;
    *) outcome="FAILED with exit code $code" ;;
  esac
  [[ $outcome != FAILED* ]] || num_failed=$((num_failed + 1))
  outcomes+=("$name: $outcome")
  echo "$name: $outcome" >>"$work/outcomes.txt"
  keep 2>/dev/null || true
}
# Packs all measurements so far. Runs after every step, because the machine may be taken away at any time.
keep() {
  local code=0 results="$work/results.tgz"
  $python -B bench/gpu/table.py "$work" --markdown "$markdown" >"$work/table.txt" || code=$?
  find "$work" -maxdepth 1 -type f -regex '.*\.\(json\|csv\|txt\|md\|ncu-rep\)' -printf '%f\0' |
    tar --create --gzip --file "$results.unfinished" --directory "$work" --null --files-from -
  mv "$results.unfinished" "$results"
  if [ -n "$copy_to" ]; then
    cp "$results" "$copy_to/results.tgz.unfinished"
    mv "$copy_to/results.tgz.unfinished" "$copy_to/results.tgz"
  fi
  return $code
}
table() {
  say "Table"
  if ! keep; then
    echo "The table was not made; the figures are in $work." >&2
    num_failed=$((num_failed + 1))
  fi
  cat "$work/table.txt"
  printf '%s\n' "" "${outcomes[@]}" >&2
}

sanitizer=$(command -v compute-sanitizer || echo "$toolkit/bin/compute-sanitizer")
sanitized() {  # sanitized TOOL
  if [ ! -x "$sanitizer" ]; then
    echo "SKIPPED: compute-sanitizer is neither on the path nor under $toolkit." >&2
    return 77
  fi
  # On one GPU only: ranks that wait for each other in kernels do not work under tools that delay kernels. Without the test
  # that uses a GPU that does not exist: memcheck would report the call that has to fail.
  local CUDA_VISIBLE_DEVICES=0
  export CUDA_VISIBLE_DEVICES
  each_suite "-*ADeviceThatIsNotThereIsNamed" within_limit "$sanitizer" --tool "$1" --error-exitcode 1 "$bundle/bin/cuda_tests"
}

# A failing kernel may break its process for everything that follows, so each group has a process of its own.
operations() {
  local group code=0
  for group in limit dense hash encode first tail train cusparse; do
    rm -f "$work/device_bench-$group.json"
    ours device_bench --benchmark_filter="^$group/" --benchmark_repetitions=3 --benchmark_min_time=0.1 \
      --benchmark_out="$work/device_bench-$group.json" --benchmark_out_format=json >&2 || code=$?
  done
  return $code
}

each_suite() {  # each_suite BUT COMMAND...: a process per suite of cuda_tests, so that a slow or failing one does not affect the others
  local but=$1 suite code=0
  shift
  ours cuda_tests --gtest_list_tests | sed -n 's/^\([A-Za-z0-9_/]*\.\).*/\1/p' >"$work/suites.txt"
  if [ ! -s "$work/suites.txt" ]; then
    echo "cuda_tests names no tests." >&2
    return 1
  fi
  while read -r suite; do
    "$@" --gtest_brief=1 --gtest_filter="$suite*$but" </dev/null >&2 && continue
    code=$?
    echo "FAILED: the tests of $suite" >&2
  done <"$work/suites.txt"
  return $code
}
device_tests() { each_suite "" ours cuda_tests; }

dataset() {  # dataset NAME ROWS SEED: the encoded rows, made if they do not exist
  [ ! -f "$work/$1-$2/manifest.json" ] || return 0
  ours criteo_rows "$2" --seed "$3" | ours widehash transform --schema $schema - -o "$work/$1-$2" --quiet >&2
}

training() {  # training HIDDEN: one epoch for its loss, and twenty for the rate once all memory is allocated
  local epochs
  dataset train "$rows" 1
  dataset valid "$valid_rows" 2
  for epochs in 1 20; do
    rm -f "$work/train-host-$1-$epochs.json"
    ours widehash train "$work/train-$rows" --valid "$work/valid-$valid_rows" -o "$work/$1.model" --overwrite --devices cuda:0 --hidden "$1" \
      --batch-size $batch --optimizer adagrad --epochs $epochs --quiet --json >"$work/train-host-$1-$epochs.json"
  done
}

flights() {
  within_limit $python -B bench/gpu/flights.py "$bundle/bin/widehash" "$work/flights" >&2
}

find_torch() {
  timed $python -c 'import torch, numpy; assert torch.cuda.is_available()' 2>/dev/null
}
torch() {  # torch HIDDEN INPUT
  case $torch_code in
    0) ;;
    "$out_of_time" | 124 | 137) return "$torch_code" ;;
    *)
      echo "SKIPPED: '$python -c \"import torch, numpy\"' does not find a PyTorch that sees the GPU." >&2
      return 77 ;;
  esac
  local part
  dataset train "$rows" 1
  dataset valid "$valid_rows" 2
  for part in "train-$rows" "valid-$valid_rows"; do
    [ -f "$work/$part.npz" ] || {
      ours widehash export "$work/$part" --format npz -o "$work/unfinished-$part.npz" --quiet
      mv "$work/unfinished-$part.npz" "$work/$part.npz"
    }
  done
  rm -f "$work/torch-$2-$1.json"
  timed $python -B bench/gpu/embedding_bag.py "$work/train-$rows.npz" "$work/valid-$valid_rows.npz" --hidden "$1" --input "$2" \
    --batch $batch >"$work/torch-$2-$1.json"
}

profiler=$(command -v ncu || echo "$toolkit/bin/ncu")
counters() {  # hardware counters of the kernels of a few steps; the profiler runs each many times
  if [ ! -x "$profiler" ]; then
    echo "SKIPPED: ncu is neither on the path nor under $toolkit." >&2
    return 77
  fi
  local hidden code=0
  # Two batches and no warm-up: whatever is not counted only takes time.
  local WIDEHASH_BENCH_AT_ONCE=2
  export WIDEHASH_BENCH_AT_ONCE
  for hidden in 0 32; do
    within_limit "$profiler" --clock-control none --set full --launch-count 8 \
      --kernel-name 'regex:linear_kernel|gather_kernel|output_kernel|scatter_shared_kernel|update_kernel' \
      --export "$work/counters-$hidden.ncu-rep" --force-overwrite --print-details all --page details \
      "$bundle/bin/device_bench" --benchmark_filter="^train/device/$hidden/" --benchmark_min_time=0.000001 \
      >"$work/counters-$hidden.txt" 2>&1 || code=$?
    if grep ERR_NVGPUCTRPERM "$work/counters-$hidden.txt" >&2; then
      echo "SKIPPED: the driver lets only its administrator read the counters." >&2
      return 77
    fi
    [ $code = 0 ] || tail -n 5 "$work/counters-$hidden.txt" >&2
  done
  return $code
}

trap table EXIT  # also if the run is stopped
valid_rows=$((rows / 10 > 0 ? rows / 10 : 1))
# First, because they take about a minute and their failures explain wrong figures.
step tests "Tests on the device" device_tests
step operations "Operations and limits" operations
for hidden in none 32; do step training "Training, --hidden $hidden, $rows rows" training $hidden; done
step flights "Flights, trained on processor and GPU" flights
# Checked once, because importing it may take as long as a training.
torch_code=0
if wants torch; then find_torch || torch_code=$?; fi
for hidden in none 32; do
  for input in device host; do step torch "PyTorch, --hidden $hidden, rows in the memory of the $input" torch $hidden $input; done
done
step counters "Counters of the kernels of a step" counters
for tool in memcheck racecheck initcheck synccheck; do step $tool "compute-sanitizer $tool" sanitized $tool; done

trap - EXIT
table
[ $num_failed -eq 0 ]
