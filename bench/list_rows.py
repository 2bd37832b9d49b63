#!/usr/bin/env python3
"""Writes rows of lists, shaped like baskets: a label, a user, and some 30 of 100,000 items, the popular ones more often.

    python3 bench/list_rows.py ROWS FOLDER       FOLDER/rows.tsv and FOLDER/schema.toml

docs/performance.md has what is measured with them.
"""

import pathlib
import random
import sys

NUM_ITEMS = 100_000
SCHEMA = """label = { field = "bought", positive = ["1"], negative = ["0"] }

[[feature]]
field = "user"
cardinality = 1000000

[[feature]]
field = "items"
cardinality = %d
separator = ","
""" % NUM_ITEMS


def rows(num_rows):
    draw = random.Random(1)
    for _ in range(num_rows):
        items = [int(NUM_ITEMS * draw.random() ** 3) for _ in range(draw.randrange(10, 51))]
        bought = draw.random() < 0.1 + 0.4 * (min(items) % 2)
        yield "%d\tu%d\t%s\n" % (bought, draw.randrange(1_000_000), ",".join("i%d" % item for item in items))


def main():
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "schema.toml").write_text(SCHEMA)
    with open(folder / "rows.tsv", "w") as file:
        file.write("bought\tuser\titems\n")
        file.writelines(rows(int(sys.argv[1])))


if __name__ == "__main__":
    main()
