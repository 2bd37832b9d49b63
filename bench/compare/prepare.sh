# shellcheck shell=bash
# Sourced by run.sh and quality.sh from the top of the checkout: builds the programs and installs the peers.

# build_release: builds the program and the parts of bench/ that bench/compare runs.
build_release() {
  cmake --preset release -DWIDEHASH_BENCH=ON >/dev/null
  cmake --build --preset release --target widehash criteo_rows naive_loop input_limits >&2
}

# install_peers FOLDER: makes a virtual environment with the peers of requirements.txt; $peers_python is its interpreter. A
# peer that cannot be installed is left out with a message: its rows say so, and the others are measured.
install_peers() {
  if [ ! -x /usr/bin/time ]; then
    echo "there is no /usr/bin/time to measure memory with; on Debian: apt-get install time" >&2
    return 1
  fi
  local folder=$1 list=bench/compare/requirements.txt line
  peers_python=$folder/bin/python
  if [ ! -x "$peers_python" ] && ! "${PYTHON:-python3}" -m venv "$folder" >&2; then
    echo "cannot make a virtual environment in $folder; on Debian: apt-get install python3-venv" >&2
    return 1
  fi
  cmp -s "$list" "$folder/installed.txt" && return 0
  echo "installing the peers into $folder" >&2
  if "$peers_python" -m pip install --quiet --disable-pip-version-check -r "$list" >&2; then
    cp "$list" "$folder/installed.txt"
    return 0
  fi
  while read -r line; do
    case $line in '' | \#*) continue ;; esac
    "$peers_python" -m pip install --quiet --disable-pip-version-check "$line" >&2 ||
      echo "not installed, and left out: $line" >&2
  done <"$list"
}
