#!/usr/bin/env bash
# Trains across two network namespaces with addresses and names of their own, like two hosts joined by a wire, and compares
# the model with the one trained by threads. Needs root; removes everything it makes.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash bench/two_hosts.sh DATASET [--cut | --processes N] [TRAIN_OPTION...]

  DATASET        folder that `widehash transform` wrote
  --cut          cut the wire in the middle of a training and measure how long the other end takes to notice
  --processes N  processes per host (default 1), one device each
TEXT
}

[ $# -ge 1 ] || { usage >&2; exit 2; }
dataset=$1
shift
cut=no
processes=1
case "${1:-}" in
  --cut) cut=yes; shift ;;
  --processes) processes=$2; shift 2 ;;
esac

program=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build/release/widehash
program=${WIDEHASH:-$program}
work=$(mktemp -d)
cleanup() {
  ip netns del widehash-a 2>/dev/null || true
  ip netns del widehash-b 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

ip netns add widehash-a
ip netns add widehash-b
ip link add wh-a netns widehash-a type veth peer name wh-b netns widehash-b
for end in a b; do
  ip -n widehash-$end link set lo up
  ip -n widehash-$end link set wh-$end up
done
ip -n widehash-a address add 10.77.0.1/24 dev wh-a
ip -n widehash-b address add 10.77.0.2/24 dev wh-b

# mpirun calls this in place of ssh: agent HOST COMMAND...
cat > "$work/agent" <<'TEXT'
#!/bin/sh
shift
exec ip netns exec widehash-b unshare --uts sh -c "hostname widehash-b; $*"
TEXT
chmod +x "$work/agent"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
train() {
  ip netns exec widehash-a unshare --uts sh -c 'hostname widehash-a; exec "$@"' sh \
    mpirun --host "10.77.0.1:$processes,10.77.0.2:$processes" -n $((2 * processes)) --bind-to none --mca plm_rsh_agent "$work/agent" --mca btl tcp,self \
    --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 "$program" train "$dataset" "$@"
}

if [ "$cut" = no ]; then
  train -o "$work/hosts" --overwrite "$@"
  devices=cpu$(printf ',cpu%.0s' $(seq $((2 * processes - 1))))
  "$program" train "$dataset" -o "$work/threads" --overwrite --devices "$devices" --quiet "$@" > /dev/null
  cmp "$work/hosts" "$work/threads" && echo "two hosts and $((2 * processes)) threads: the same model, byte for byte"
  ip -n widehash-a -s link show wh-a | awk '/TX:/ { getline; print "bytes sent by the first host over the wire: " $1 }'
  exit 0
fi

train -o "$work/hosts" --epochs 1000000 --checkpoint-every 100 "$@" > "$work/said" 2>&1 &
job=$!
until [ -e "$work/hosts.checkpoint" ] || ! kill -0 $job 2>/dev/null; do sleep 0.1; done
ip -n widehash-a link set wh-a down
start=$SECONDS
until grep -q '^widehash: ' "$work/said" || [ $((SECONDS - start)) -ge 120 ]; do sleep 0.1; done
echo "noticed after $((SECONDS - start)) s"
grep '^widehash: ' "$work/said" || true
# mpirun itself keeps waiting for its other half.
kill $(ps -o pid= --ppid $job) 2>/dev/null || true
wait $job 2>/dev/null || true
