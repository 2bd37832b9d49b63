"""`widehash values`: compares the contents of lookup tables with counts in Python and with `widehash hash`."""

import collections
import random
import re
import unittest

from program import Case

SCHEMA = """
version = 1
[[feature]]
field = "site"
cardinality = 100
[[feature]]
field = "device"
cardinality = 10
encoding = "one_hot"
[[feature]]
name = "pair"
cross = ["site", "device"]
cardinality = 1000
[[feature]]
field = "tags"
separator = ","
cardinality = 50
[[feature]]
field = "age"
encoding = "numeric"
transform = "standardize"
"""

# Texts that could break a line or look like something else.
SITES = ["a", "b", "berlin, ost", "back\\slash", "\\t", "ü", "x\x01y", "1", "-", "", "a b"]


def escaped(text):
    return re.sub(r"[\x00-\x1f\x7f\\]", lambda match: {"\t": "\\t", "\\": "\\\\"}.get(match[0], "\\x%02x" % ord(match[0])), text)


def by_count(lines):
    """The lines of `values` as (count, rest), in their order."""
    return [(int(line.split("\t", 1)[0]), line.split("\t", 1)[1]) for line in lines.decode().split("\n")[:-1]]


class Values(Case):
    def setUp(self):
        super().setUp()
        source = random.Random(5)
        self.rows = [(source.choice(SITES), source.choice(["phone", "desk", ""]),
                      ",".join(source.sample(["x", "y", "z", "w"], source.randint(1, 3)))) for _ in range(3000)]
        text = "site\tdevice\ttags\tage\n" + "".join("\t".join(row) + "\t%d\n" % source.randint(0, 90) for row in self.rows)
        self.schema = self.write("schema.toml", SCHEMA)
        self.inputs = self.write("rows.tsv", text)
        self.tables = self.folder / "tables"
        self.succeed("fit", "--schema", self.schema, self.inputs, "-o", self.tables, "--quiet")

    def check(self, feature, expected):
        """`expected`: the count for each rest of a line."""
        found = by_count(self.succeed("values", self.tables, feature))
        self.assertEqual({rest: count for count, rest in found}, dict(expected))
        self.assertEqual(len(found), len(expected))
        self.assertEqual([count for count, _ in found], sorted(expected.values(), reverse=True))
        return found

    def test_every_value_with_its_count_most_frequent_first(self):
        self.check("site", collections.Counter(escaped(site) for site, _, _ in self.rows))
        self.check("device", collections.Counter(device for _, device, _ in self.rows))

    def test_parts_of_a_cross_and_items_of_a_field(self):
        self.check("pair", collections.Counter(escaped(site) + "\t" + device for site, device, _ in self.rows))
        self.check("tags", collections.Counter(tag for _, _, tags in self.rows for tag in tags.split(",")))

    def test_top_and_min_count(self):
        every = by_count(self.succeed("values", self.tables, "site"))
        self.assertEqual(by_count(self.succeed("values", self.tables, "site", "--top", 3)), every[:3])
        self.assertEqual(by_count(self.succeed("values", self.tables, "site", "--top", 1000)), every)
        middle = every[5][0]
        self.assertEqual(by_count(self.succeed("values", self.tables, "site", "--min-count", middle)),
                         [line for line in every if line[0] >= middle])
        self.assertEqual(self.succeed("values", self.tables, "site", "--min-count", 10 ** 6), b"")

    def codes_by_hash_command(self, values, *arguments):
        return self.succeed("hash", "--hex", *arguments, stdin="".join(value.encode().hex() + "\n" for value in values).encode())

    def test_codes_are_those_of_hash(self):
        for feature, arguments in (("site", ["--cardinality", 100]), ("device", ["--cardinality", 10, "--encoding", "one_hot"])):
            with self.subTest(feature=feature):
                lines = self.succeed("values", self.tables, feature, "--codes").decode().split("\n")[:-1]
                numbers = 5 if feature == "site" else 2
                values = {escaped(site): site for site in SITES}
                texts = [values.get(line.split("\t")[-1], line.split("\t")[-1]) for line in lines]
                expected = self.codes_by_hash_command(texts, *arguments).decode().split("\n")[:-1]
                self.assertEqual([line.split("\t")[1:1 + numbers] for line in lines], [line.split("\t") for line in expected])

    def test_json_has_the_same_values(self):
        told = self.succeed_json("values", self.tables, "pair", "--top", 4)
        lines = by_count(self.succeed("values", self.tables, "pair", "--top", 4))
        self.assertEqual([(item["count"], "\t".join(map(escaped, item["parts"]))) for item in told["values"]], lines)
        self.assertEqual((told["num_values"], told["total_count"]), (len({row[:2] for row in self.rows}), 3000))
        site = self.succeed_json("values", self.tables, "site")
        self.assertEqual({item["value"] for item in site["values"]}, set(SITES))
        self.assertEqual({tuple(item) for item in site["values"]}, {("value", "parts", "count", "xxh64", "buckets")})
        self.assertEqual((site["encoding"], site["hash"], site["cardinality"], site["width"]), ("four_split", "xxh64", 100, 10))

    def test_wide_hashes(self):
        wide = self.write("wide.toml", 'hash = "xxh3_128"\n' + self.schema.read_text())
        self.succeed("fit", "--schema", wide, self.inputs, "-o", self.folder / "wide", "--quiet")
        for feature, more in (("site", ["--cardinality", 100]), ("device", ["--cardinality", 10, "--encoding", "one_hot"])):
            told = self.succeed_json("values", self.folder / "wide", feature)
            expected = self.succeed_json("hash", "--hash", "xxh3_128", "--hex", *more, stdin="".join(
                item["value"].encode().hex() + "\n" for item in told["values"]).encode())
            self.assertEqual([(item["xxh3_128"], item["buckets"]) for item in told["values"]],
                             [(item["xxh3_128"], item["buckets"]) for item in expected["values"]])

    def test_what_cannot_be_shown_is_refused(self):
        self.assertIn("did you mean 'site'?; there are tables of site, device, pair, tags", self.fail_with(2, "values", self.tables, "sites"))
        self.assertIn("numeric", self.fail_with(2, "values", self.tables, "age"))
        self.assertIn("nowhere/tables.json: cannot open", self.fail_with(1, "values", self.folder / "nowhere", "site"))
        (self.folder / "none").mkdir()
        self.assertIn("none: has no tables.json; create", self.fail_with(1, "values", self.folder / "none", "site"))
        (self.folder / "none" / "manifest.json").write_text("{}")
        self.assertIn("none: is a dataset and has no tables", self.fail_with(2, "values", self.folder / "none", "site"))
        self.assertIn("schema.toml: is a file; give the folder", self.fail_with(2, "values", self.schema, "site"))
        self.assertIn("holds tables and no dataset", self.fail_with(2, "train", self.tables, "-o", self.folder / "m"))
        self.assertIn("FEATURE", self.fail_with(2, "values", self.tables))
        table = next(self.tables.rglob("*site*.table"))
        whole = table.read_bytes()
        table.write_bytes(whole[:len(whole) // 2] + b"?" + whole[len(whole) // 2 + 1:])
        self.assertIn(table.name, self.fail_with(1, "values", self.tables, "site"))


if __name__ == "__main__":
    unittest.main()
