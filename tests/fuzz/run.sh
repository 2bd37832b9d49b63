#!/usr/bin/env bash
# Fuzzes the targets of this folder, one after another, and records each run in build/fuzz/executions.tsv.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash tests/fuzz/run.sh [--runs N] [--seconds S] [--report] [TARGET...]

  --runs N     executions of each target in this call (default 1000000)
  --seconds S  and no longer than this for each target (default: as long as it takes)
  --report     fuzz nothing; print executions and coverage of all calls so far
  TARGET       such as row_scan; default: all

Needs clang and its runtime (Debian: clang, libclang-rt-14-dev); without them it says so and ends with exit code 77.
What is found lies in build/fuzz/found/. The corpus grows in build/fuzz/corpus/, from the seeds in tests/fuzz/seeds/.
TEXT
}

runs=1000000
seconds=0
report=no
while [ $# -gt 0 ]; do
  case "$1" in
    --runs) runs=$2; shift ;;
    --seconds) seconds=$2; shift ;;
    --report) report=yes ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) break ;;
  esac
  shift
done

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=build/fuzz
seeds=tests/fuzz/seeds
log=$build/executions.tsv # target, executions, seconds, edges covered; one line per call

if [ "$report" = yes ]; then
  awk -F'\t' '{ n[$1] += $2; s[$1] += $3; if ($4 > c[$1]) c[$1] = $4 }
    END { for (t in n) printf "%-16s %12d executions %8d s %6d edges\n", t, n[t], s[t], c[t] }' "$log" | sort
  exit
fi

probe=$(mktemp -d)
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' > "$probe/probe.cpp"
if ! clang++ -fsanitize=fuzzer,address "$probe/probe.cpp" -o "$probe/probe" 2> "$probe/why"; then
  echo "Skipped: clang++ with libFuzzer's runtime is not here ($(head -1 "$probe/why"))." >&2
  rm -r "$probe"
  exit 77
fi
rm -r "$probe"

if [ $# -eq 0 ]; then
  for source in tests/fuzz/*_fuzz.cpp; do set -- "$@" "$(basename "$source" _fuzz.cpp)"; done
fi
[ -f "$build/build.ninja" ] || cmake --preset fuzz > /dev/null
cmake --build --preset fuzz --target $(printf '%s_fuzz ' "$@") > "$build/build.log" || { cat "$build/build.log"; exit 1; }

mkdir -p "$build/found"
failed=""
for target in "$@"; do
  mkdir -p "$build/corpus/$target"
  output=$build/found/$target.log
  # Short inputs allow many of them; those of files must hold whole files.
  case "$target" in
    model | schema | manifest | section_file) max_len=2048 ;;
    shard | lookup_table | journal) max_len=1024 ;;
    *) max_len=256 ;;
  esac
  started=$SECONDS
  ok=yes
  # A small quarantine, no allocation stacks and no memory returned to the system keep the address sanitizer
  # from taking most of the time; weighing the corpus by rare features took another tenth.
  ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=0:allocator_release_to_os_interval_ms=-1 \
    "$build/tests/fuzz/${target}_fuzz" -runs="$runs" -max_total_time="$seconds" -max_len="$max_len" -timeout=10 -entropic=0 \
    -print_final_stats=1 -artifact_prefix="$build/found/$target-" \
    "$build/corpus/$target" "$seeds/$target" > "$output" 2>&1 || ok=no
  executions=$(sed -n 's/^stat::number_of_executed_units: //p' "$output")
  edges=$(sed -n 's/^#.* cov: \([0-9]*\) .*/\1/p' "$output" | tail -1)
  printf '%s\t%s\t%s\t%s\n' "$target" "${executions:-0}" $((SECONDS - started)) "${edges:-0}" >> "$log"
  printf '%-16s %12s executions %6d s %6s edges  %s\n' "$target" "${executions:-0}" $((SECONDS - started)) \
    "${edges:-0}" "$([ $ok = yes ] && echo clean || echo FAILED)"
  if [ $ok = no ]; then
    failed="$failed $target"
    grep -hE "does not hold|ERROR|runtime error|terminate|what\(\)|Test unit written" "$output" | grep -v NEW_FUNC || true
  fi
done
[ -z "$failed" ] || { echo "Failed:$failed" >&2; exit 1; }
