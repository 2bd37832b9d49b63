"""Commands print with --json the keys that docs/json.md lists for them."""

import json
import re
import unittest

from program import COMMANDS, SOURCE_DIR, Case

SCHEMA = """
label = "late"
[[feature]]
field = "month"
cardinality = 12
[[feature]]
field = "distance"
encoding = "numeric"
"""


def documented():
    """Command -> all keys in the first column of its table."""
    keys = {}
    for section in (SOURCE_DIR / "docs/json.md").read_text().split("\n## ")[1:]:
        rows = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
        keys[section.split("\n")[0]] = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
    return keys


class JsonKeys(Case):
    def test_each_command_prints_the_keys_of_its_table(self):
        schema = self.write("schema.toml", SCHEMA)
        rows = self.write("rows.tsv", "late\tmonth\tdistance\n" +
                          "".join("%d\t%d\t%d\n" % (row % 2, row % 12, row) for row in range(600)))
        tables, day, model = self.folder / "tables", self.folder / "day", self.folder / "late.model"
        runs = [
            ["inspect", rows, "--label", "late"],
            ["fit", "--schema", schema, rows, "-o", tables],
            ["transform", "--schema", schema, rows, "-o", day],
            ["verify", day],
            ["verify", tables],
            ["audit", tables],
            ["compare", tables, tables],
            ["export", day, "--format", "npz", "-o", self.folder / "day.npz"],
            ["train", day, "--valid", day, "-o", model],
            ["verify", model],
            ["evaluate", model, day],
            ["predict", model, rows, "-o", self.folder / "late.txt"],
            ["explain", model, "--tables", tables],
            ["values", tables, "month"],
            ["describe", day],
            ["describe", tables],
            ["describe", model],
            ["hash", "--cardinality", "100", "a"],
            ["devices"],
        ]
        found = {}
        for arguments in runs:
            text = self.succeed(*arguments, "--json", "--quiet")
            found.setdefault(arguments[0], set()).update(json.loads(text))
        self.assertEqual(sorted(found), sorted(COMMANDS))
        self.assertEqual(found, documented())


if __name__ == "__main__":
    unittest.main()
