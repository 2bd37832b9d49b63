#!/usr/bin/env bash
# Installs the packages of the distribution that widehash is built from. Debian 12, Ubuntu 24.04 and later.
# Installs only what is missing, without asking; if nothing is missing, it does not use the network.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash tools/install-dependencies.sh [--python] [--demo] [--tests] [--fuzz] [--list]

  (always)  compiler, CMake and the libraries that the library and the program need
  --python  also for the Python package: Python's headers, pybind11, numpy and scipy
  --demo    also for tools/quickstart.sh: Python with pip and matplotlib
  --tests   also for tools/test.sh: GoogleTest, Google Benchmark, clang-format, Open MPI,
            Python with scipy, pandas and mypy
  --fuzz    also for tests/fuzz/run.sh and tools/tidy.sh: clang with the runtimes of its sanitizers
  --list    print the missing packages, one per line, and install nothing
TEXT
}

packages=(g++ cmake ninja-build git ca-certificates zlib1g-dev
  libxxhash-dev libeigen3-dev libtbb-dev libfmt-dev libtomlplusplus-dev nlohmann-json3-dev
  libisal-dev libzstd-dev libcli11-dev libhwy-dev)
python=(python3 python3-dev python3-numpy python3-scipy pybind11-dev)
demo=(python3 python3-pip python3-setuptools python3-numpy python3-matplotlib)
tests=(ccache libgtest-dev libgmock-dev libbenchmark-dev clang-format clang-tidy time zstd
  "${python[@]}" python3-pandas python3-pip python3-matplotlib python3-mypy python3-xxhash openmpi-bin libopenmpi-dev)

# The names of the runtime packages contain clang's version, here the one of the `clang` that is installed with them.
clang_version=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
fuzz=(clang clang-tidy "libclang-rt-${clang_version:-14}-dev")

list_only=no
for argument in "$@"; do
  case "$argument" in
    --python) packages+=("${python[@]}") ;;
    --demo) packages+=("${demo[@]}") ;;
    --tests) packages+=("${tests[@]}") ;;
    --fuzz) packages+=("${fuzz[@]}") ;;
    --list) list_only=yes ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  printf 'This system has no apt. Install what these Debian packages hold, then go on:\n  %s\n' "${packages[*]}" >&2
  exit 1
fi

is_installed() {
  dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed
}

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
if [ "$list_only" = yes ]; then
  [ ${#missing[@]} -eq 0 ] || printf '%s\n' "${missing[@]}"
  exit 0
fi
if [ ${#missing[@]} -eq 0 ]; then
  echo "Everything needed is installed."
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    printf 'Packages are missing, and this is neither root nor is there sudo. As root:\n\n  apt-get install %s\n\n' \
      "${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing: ${missing[*]}"
# Through `env`, because sudo would drop the variable.
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "$@"; }
if ! apt update -q || ! apt install -q -y --no-install-recommends "${missing[@]}"; then
  printf 'apt-get could not install the packages above. Still needed:\n  %s\n' "${missing[*]}" >&2
  exit 1
fi
