#!/usr/bin/env bash
# Collects what bench/gpu/run.sh --prebuilt runs, with every shared library that may be missing on a machine with only a
# driver and glibc: the programs were linked to the distribution's TBB, Open MPI, hwloc, ISA-L, fmt and others. NVIDIA's own
# libraries are large and present on most GPU machines, in a toolkit or with PyTorch; --with-cuda includes them.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash bench/gpu/bundle.sh [--with-cuda] [BUILD_FOLDER [BUNDLE]]     (build/release, build/gpu-bundle)

Replaces BUNDLE. It has programs in bin/, shared libraries in lib/, and in needs.txt what the machine must provide.
TEXT
}

with_cuda=no
folders=()
for argument in "$@"; do
  case "$argument" in
    --with-cuda) with_cuda=yes ;;
    -h | --help) usage; exit 0 ;;
    -*) echo "What is $argument?" >&2; usage >&2; exit 2 ;;
    *) folders+=("$argument") ;;
  esac
done
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${folders[0]:-build/release}
bundle=${folders[1]:-build/gpu-bundle}
toolkit=${CUDA_HOME:-/usr/local/cuda}
programs=(widehash tests/cuda/cuda_tests bench/gpu/device_bench bench/criteo_rows)

rm -rf "$bundle"
mkdir -p "$bundle/bin" "$bundle/lib"
for program in "${programs[@]}"; do
  strip -o "$bundle/bin/$(basename "$program")" "$build/$program"
done

# The whole C library and the driver's libcuda must be the machine's own; NVIDIA's other libraries follow below.
not_ours='^(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libutil|libcuda|libcublas|libcublasLt|libcusparse|libnvJitLink|libnccl)[.-]'
wanted() {  # prints the libraries that a program or library is linked to, as paths
  ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'
}
for program in "$bundle"/bin/*; do
  if ldd "$program" | grep 'not found' >&2; then
    echo "$program cannot be bundled: libraries are missing here." >&2
    exit 1
  fi
  wanted "$program" | while read -r library; do
    name=$(basename "$library")
    [[ $name =~ $not_ours ]] || [ -f "$bundle/lib/$name" ] || cp -L "$library" "$bundle/lib/$name"
  done
done

# The names under which NVIDIA's libraries are loaded (src/base/cuda/native/late_library.hpp), from this toolkit.
cuda_names=()
for stem in libcublas libcublasLt libcusparse libnvJitLink libnccl; do
  for library in "$toolkit"/lib64/$stem.so.[0-9]*; do
    # Of libcublas.so.13 and libcublas.so.13.0.2, the first is the name that is loaded.
    [[ $library =~ \.so\.[0-9]+$ ]] || continue
    cuda_names+=("$(basename "$library")")
    [ $with_cuda = no ] || cp -L "$library" "$bundle/lib/"
  done
done
glibc=$(readelf -V "$bundle"/bin/* "$bundle"/lib/* 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
{
  echo "glibc ${glibc#GLIBC_}"
  for name in "${cuda_names[@]}"; do echo "library $name"; done
} >"$bundle/needs.txt"
echo "Bundled: $bundle, $(du -sh "$bundle" | cut -f 1), for glibc ${glibc#GLIBC_} and later."
