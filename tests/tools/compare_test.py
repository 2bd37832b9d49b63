"""compare: two sets of tables against counts by hand."""

import collections
import json
import unittest

from program import Case, rows, run

SCHEMA = """
label = "clicked"
[[feature]]
field = "site"
cardinality = 100
[[feature]]
cross = ["site", "device"]
cardinality = 300
[[feature]]
field = "age"
encoding = "numeric"
transform = "standardize"
"""
HEADER = "clicked\tsite\tdevice\tage\n"


class Compare(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        self.before = rows(3000, 1)
        # The spelling of one field has changed in some rows, and numbers are larger.
        self.now = [line.replace("site1\t", "Site1\t") for line in rows(1000, 2)]
        self.now = ["\t".join([*line.split("\t")[:3], str(int(line.split("\t")[3]) + 30)]) for line in self.now]
        for name, lines in [("before", self.before), ("now", self.now)]:
            self.fit(name, lines)

    def fit(self, name, lines, schema=None):
        text = self.write(name + ".tsv", HEADER + "\n".join(lines) + "\n")
        self.succeed("fit", "--schema", schema or self.schema, text, "-o", self.folder / name, "--quiet")

    def compare(self, *options):
        return json.loads(self.succeed("compare", self.folder / "before", self.folder / "now", "--json", *options))

    def beyond(self, *arguments):
        """The error reported after the report when a limit is exceeded."""
        finished = run(*arguments)
        self.assertEqual(finished.returncode, 1)
        self.assertIn(b"feature", finished.stdout)
        return finished.stderr.decode()

    def test_shares_are_those_of_the_rows(self):
        report = self.compare("--top", 5)
        self.assertEqual((report["rows_before"], report["rows_now"]), (3000, 1000))
        site, cross, age = report["features"]
        then = collections.Counter(line.split("\t")[1] for line in self.before)
        later = collections.Counter(line.split("\t")[1] for line in self.now)
        self.assertEqual((site["feature"], site["values_before"], site["values_now"]), ("site", len(then), len(later)))
        unseen = {value: count for value, count in later.items() if value not in then}
        self.assertIn("Site1", unseen)
        self.assertEqual(site["unseen_values"], len(unseen))
        self.assertAlmostEqual(site["unseen_share"], sum(unseen.values()) / 1000)
        self.assertAlmostEqual(site["gone_share"], sum(count for value, count in then.items() if value not in later) / 3000)
        shares = [abs(then[value] / 3000 - later[value] / 1000) for value in then | later]
        self.assertAlmostEqual(site["distance"], sum(shares) / 2)
        self.assertEqual(site["unseen"][0], {"value": "Site1", "count_before": 0, "count_now": later["Site1"]})
        self.assertEqual({one["value"] for one in site["most_changed"][:2]}, {"Site1", "site1"})
        self.assertTrue(any(one["value"].startswith("Site1 \u00d7 ") for one in cross["unseen"]))
        self.assertEqual(age["before"]["count"], 3000)
        self.assertAlmostEqual(age["mean_shift"], (age["now"]["mean"] - age["before"]["mean"]) / age["before"]["standard_deviation"])
        self.assertGreater(age["mean_shift"], 1)

    def test_people_read_the_same(self):
        text = self.succeed("compare", self.folder / "before", self.folder / "now").decode()
        site = self.compare()["features"][0]
        self.assertRegex(text, r"site +%d +%d +%d +%.2f %%" % (site["values_before"], site["values_now"], site["unseen_values"],
                                                               100 * site["unseen_share"]))
        self.assertIn('values that were not there before, most frequent first:\n  site: "Site1" %d' % site["unseen"][0]["count_now"], text)
        self.assertRegex(text, r"age +\d+\.\d+ +\d+\.\d+ .*of it +0.00 %, 0.00 %")
        changed = self.compare()["features"][0]["most_changed"][0]
        self.assertIn('"%s" %.2f %% -> %.2f %%' % (changed["value"], changed["count_before"] / 30, changed["count_now"] / 10), text)
        same = self.succeed("compare", self.folder / "now", self.folder / "now").decode()
        self.assertNotIn("that were not there", same)

    def test_a_limit_decides_of_the_exit_code(self):
        share = max(feature.get("unseen_share", 0) for feature in self.compare()["features"])
        arguments = ["compare", self.folder / "before", self.folder / "now", "--max-unseen"]
        self.succeed(*arguments, share)
        finished = run(*arguments, share / 2, "--json")
        self.assertEqual(finished.returncode, 1)
        self.assertEqual(json.loads(finished.stdout)["rows_now"], 1000)
        self.assertIn("but --max-unseen allows", finished.stderr.decode())
        self.assertIn("is not a share from 0 to 1", self.fail_with(2, *arguments, 5))

    def test_numbers_that_are_gone_are_reported_and_a_limit_ends_the_job(self):
        def without_ages(share):
            return ["\t".join([*line.split("\t")[:3], "" if i < 1000 * share else line.split("\t")[3]]) for i, line in enumerate(self.now)]

        self.fit("half", without_ages(0.5))
        self.fit("gone", without_ages(1))
        empty = self.write("empty.tsv", HEADER)
        self.assertIn("no rows", run("fit", "--schema", self.schema, empty, "-o", self.folder / "empty").stderr.decode())
        half, gone = (json.loads(self.succeed("compare", self.folder / "before", self.folder / name, "--json"))["features"][2]
                      for name in ("half", "gone"))
        self.assertEqual((half["missing_share_before"], half["missing_share_now"]), (0, 0.5))
        self.assertEqual((gone["missing_share_now"], gone["now"]["mean"], gone["mean_shift"]), (1, None, None))
        self.assertRegex(self.succeed("compare", self.folder / "before", self.folder / "gone").decode(), "age .* none .* no number now +0.00 %, 100.00 %")
        arguments = ["compare", self.folder / "before", self.folder / "half"]
        self.succeed(*arguments, "--max-missing", 0.5, "--max-shift", half["mean_shift"] + 0.01)
        self.assertIn("50.00 % of 'age' is missing, up from 0.00 %", self.beyond(*arguments, "--max-missing", 0.4))
        self.assertIn("the mean of 'age' is", self.beyond(*arguments, "--max-shift", half["mean_shift"] - 0.01))
        self.assertIn("the mean of 'age' is none and was", self.beyond("compare", self.folder / "before", self.folder / "gone", "--max-shift", 1e9))
        self.assertIn("is not a share from 0 to 1", self.fail_with(2, *arguments, "--max-missing", 5))
        self.assertIn("is not 0 or more", self.fail_with(2, *arguments, "--max-shift", -1))
        self.assertIn("count no rows", self.beyond("compare", self.folder / "before", self.folder / "empty", "--max-unseen", 1))

    def test_numbers_that_were_all_the_same_have_moved_infinitely(self):
        self.fit("even", ["\t".join([*line.split("\t")[:3], "7"]) for line in self.before])
        report = json.loads(self.succeed("compare", self.folder / "even", self.folder / "now", "--json"))
        self.assertIsNone(report["features"][2]["mean_shift"])
        self.assertIn("deviation is 0", self.beyond("compare", self.folder / "even", self.folder / "now", "--max-shift", 1e9))

    def test_tables_of_other_schemas_are_refused(self):
        schema = self.write("other.toml", SCHEMA.replace("cardinality = 100", "cardinality = 200"))
        self.fit("other", self.now, schema)
        message = self.fail_with(2, "compare", self.folder / "before", self.folder / "other")
        self.assertIn("feature 'site': cardinality 100 there, 200 here", message)
        self.assertIn("No such file", self.fail_with(1, "compare", self.folder / "before", self.folder / "nothing"))


if __name__ == "__main__":
    unittest.main()
