"""Inputs of fit(), transform() and predict() other than plain text: tables to add to, and empty inputs."""

import unittest

import widehash
from flights_kit import SCHEMA, TEST, TRAIN, JobCase, flights


class FitAdd(JobCase):
    def test_fit_counts_on_from_tables(self):
        whole = widehash.fit(SCHEMA, [TRAIN, TEST], self.folder / "whole")
        tables = self.folder / "tables"
        widehash.fit(SCHEMA, TRAIN, tables)
        added = widehash.fit(SCHEMA, TEST, tables, add=tables)
        self.assertEqual((added.rows, added.tables_fingerprint), (whole.rows, whole.tables_fingerprint))
        self.assertTrue(widehash.fit(SCHEMA, TEST, tables, add=[tables]).already_complete)
        with widehash.LookupTablesWriter(SCHEMA, self.folder / "batch") as writer:
            writer.append(flights("test"))
        merged = widehash.fit(SCHEMA, [], self.folder / "merged", add=[self.tables, self.folder / "batch"])
        self.assertEqual((merged.added_rows, merged.tables_fingerprint), (whole.rows, whole.tables_fingerprint))
        with self.assertRaisesRegex(widehash.ConfigError, "inputs: there are none"):
            widehash.fit(SCHEMA, [], self.folder / "x")
        with self.assertRaisesRegex(widehash.ConfigError, "use add"):
            widehash.fit(SCHEMA, TRAIN, tables)
        rest = widehash.fit(SCHEMA, [TRAIN, TEST], self.folder / "rest", add=self.tables)
        self.assertEqual((rest.rows, rest.skipped_inputs, rest.changed_inputs), (whole.rows, 1, []))
        self.assertRaises(TypeError, widehash.fit, SCHEMA, TEST, self.folder / "x", add=3)

    def test_tables_of_several_batches_are_no_changed_inputs(self):
        for name in ["test", "train"]:
            with widehash.LookupTablesWriter(SCHEMA, self.folder / name) as writer:
                writer.append(flights(name))
        both = widehash.fit(SCHEMA, [], self.folder / "both", add=[self.folder / "test", self.folder / "train"])
        self.assertEqual((both.changed_inputs, both.copied_inputs), ([], []))
        whole = widehash.fit(SCHEMA, [TRAIN, TEST], self.folder / "whole")
        self.assertEqual(both.tables_fingerprint, whole.tables_fingerprint)


class AllowEmpty(JobCase):
    def test_inputs_without_a_byte_have_no_rows(self):
        nothing = self.folder / "nothing.tsv"
        nothing.write_bytes(b"")
        for number, job in enumerate([widehash.transform, widehash.fit]):
            with self.assertRaisesRegex(widehash.DataError, "allow_empty=True"):
                job(SCHEMA, [nothing, TEST], self.folder / str(number))
            rows = job(SCHEMA, TEST, self.folder / ("alone%d" % number)).rows
            self.assertEqual(job(SCHEMA, [nothing, TEST], self.folder / str(number), allow_empty=True).rows, rows)
        self.assertRaises(widehash.DataError, widehash.predict, self.model, [nothing, TEST])
        self.assertEqual(len(widehash.predict(self.model, [nothing, TEST], allow_empty=True)), rows)


if __name__ == "__main__":
    unittest.main()
