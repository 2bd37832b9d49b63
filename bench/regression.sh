#!/usr/bin/env bash
# How well `widehash train --loss mse` predicts numbers: RMSE on unseen rows after one epoch and after five, linear and with
# a hidden layer, compared with the best constant.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: bash bench/regression.sh DATA [WORK_FOLDER]

  DATA          folder with insteval/InstEval.csv.gz and adult/adult.data.gz (a missing folder is left out);
                prices are generated
  WORK_FOLDER   default: build/regression
TEXT
}

case "${1:-}" in -h | --help | "") usage; [ -n "${1:-}" ] && exit 0 || exit 2 ;; esac
data=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=${2:-build/regression}
widehash=${WIDEHASH:-$PWD/build/release/widehash}
rm -rf "$work"
mkdir -p "$work"

encode() {  # encode NAME HEADER_LINES, the schema in NAME.toml, the rows on standard input: every tenth row to judge by
  local name=$work/$1 header=$2 part
  awk -v h="$header" -v learn="$name.learn" -v test="$name.test" \
    'NR <= h { print >learn; print >test; next } NF { print >(NR % 10 ? learn : test) }'
  "$widehash" fit --quiet --schema "$name.toml" "$name.learn" -o "$name.tables" >/dev/null
  for part in learn test; do
    "$widehash" transform --quiet --schema "$name.toml" --tables "$name.tables" "$name.$part" -o "$name.$part-set" >/dev/null
  done
}

judge() {  # judge NAME WORDS
  local name=$work/$1 hidden epochs line="| $2 |"
  for hidden in none 32; do
    for epochs in 1 5; do
      "$widehash" train "$name.learn-set" -o "$name.model" --overwrite --loss mse --hidden $hidden --epochs $epochs --quiet >/dev/null
      line+=$("$widehash" evaluate "$name.model" "$name.test-set" --quiet --json |
        /usr/bin/python3 -c 'import json, sys; print("", format(json.load(sys.stdin)["rmse"], ".4g"), "|")')
    done
  done
  line+=$("$widehash" evaluate "$name.model" "$name.test-set" --quiet --json |
    /usr/bin/python3 -c 'import json, sys; print("", format(json.load(sys.stdin)["constant_rmse"], ".4g"), "|")')
  echo "$line"
}

feature() { printf '[[feature]]\nfield = "%s"\nencoding = "%s"\ncardinality = %s\n' "$@"; }

echo "| label | linear, 1 epoch | 5 epochs | --hidden 32, 1 epoch | 5 epochs | constant |"
echo "|---|---|---|---|---|---|"
if [ -d "$data/insteval" ]; then
  for encoding in four_split exact; do
    {
      printf 'delimiter = ","\nlabel = "y"\n'
      feature s $encoding 2972
      feature d $encoding 1128
      feature studage four_split 4
      feature lectage four_split 6
      feature service four_split 2
      feature dept four_split 14
    } >"$work/insteval-$encoding.toml"
    gzip -dc "$data/insteval/InstEval.csv.gz" | encode "insteval-$encoding" 1
    judge "insteval-$encoding" "InstEval's rating, students and lecturers $encoding"
  done
fi
if [ -d "$data/adult" ]; then
  gzip -dc "$data/adult/adult.data.gz" >"$work/adult.csv"
  for field in f0:"age" f12:"hours a week"; do
    name=adult-${field%:*}
    "$widehash" inspect --header no "$work/adult.csv" --label "${field%:*}" -o "$work/$name.toml" >/dev/null
    encode "$name" 0 <"$work/adult.csv"
    judge "$name" "adult's ${field#*:}, the schema that inspect proposes"
  done
fi
for unit in 1 1e-6 1e6; do
  name=prices-$unit
  { printf 'label = "price"\n' && feature shop exact 50 && feature kind exact 30; } >"$work/$name.toml"
  /usr/bin/python3 -c '
import random, sys
rng = random.Random(1)
shops = [rng.gauss(0, 300) for _ in range(50)]
kinds = [rng.gauss(0, 200) for _ in range(30)]
print("price\tshop\tkind")
for _ in range(20000):
    shop, kind = rng.randrange(50), rng.randrange(30)
    print(float(sys.argv[1]) * (1000 + shops[shop] + kinds[kind] + rng.gauss(0, 100)), shop, kind, sep="\t")
' $unit | encode "$name" 1
  judge "$name" "prices about 1000 with noise of 100, times $unit"
done
