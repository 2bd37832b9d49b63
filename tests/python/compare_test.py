"""Compares compare() with the program, and with the counts of two tables."""

import unittest

import widehash
from flights_kit import SCHEMA, TEST, JobCase, flights, with_program


class Compare(JobCase):
    def setUp(self):
        super().setUp()
        self.now = self.folder / "now"
        widehash.fit(SCHEMA, TEST, self.now)

    @with_program
    def test_it_reports_what_the_program_reports(self):
        told = self.program_json("compare", self.tables, self.now, "--top", 4)["features"]
        self.assertEqual([change.to_dict() for change in widehash.compare(self.tables, self.now, top=4)], told)

    def test_values_never_seen_are_those_of_the_rows(self):
        changes = {change.feature: change for change in widehash.compare(self.tables, self.now, top=1000)}
        then, later = flights("train"), flights("test")
        for name in ("carrier", "dest", "tailnum"):
            unseen = [value for value in later[name] if value not in set(then[name])]
            self.assertAlmostEqual(changes[name].unseen_share, len(unseen) / len(later[name]))
            self.assertEqual({one.value for one in changes[name].unseen}, set(unseen))
        same = widehash.compare(self.tables, self.tables)
        self.assertEqual({change.distance for change in same if isinstance(change, widehash.FeatureChange)}, {0})

    def test_tables_of_other_schemas_are_refused(self):
        widehash.fit(widehash.make_schema({"carrier": 20}), TEST, self.folder / "other")
        with self.assertRaisesRegex(widehash.ConfigError, "different schemas"):
            widehash.compare(self.tables, self.folder / "other")


if __name__ == "__main__":
    unittest.main()
