"""The basis of the comparison with peers: metrics, measuring, schemas, and the part of the page that is replaced."""

import math
import os
import pathlib
import random
import sys
import tempfile
import tomllib
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("WIDEHASH_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
sys.path.insert(0, str(SOURCE_DIR / "bench/compare"))

import document  # noqa: E402  (its folder is on the path only now)
import inputs  # noqa: E402
import judge  # noqa: E402
import measure  # noqa: E402
import schemas  # noqa: E402


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name


class Metrics(unittest.TestCase):
    def test_auc_is_the_share_of_pairs_in_order(self):
        draw = random.Random(1)
        for _ in range(50):
            labels = [True, False, *(draw.random() < 0.3 for _ in range(40))]
            predictions = [draw.randrange(12) / 12 for _ in labels]  # with ties among them
            pairs = [(p, n) for p, positive in zip(predictions, labels) if positive
                     for n, other in zip(predictions, labels) if not other]
            plain = sum(1.0 if p > n else 0.5 if p == n else 0.0 for p, n in pairs) / len(pairs)
            self.assertAlmostEqual(judge.auc(labels, predictions), plain, places=12)

    def test_auc_of_one_class_is_unknown(self):
        self.assertIsNone(judge.auc([True, True], [0.1, 0.2]))

    def test_log_loss_is_that_of_the_label(self):
        self.assertAlmostEqual(judge.log_loss([True, False], [0.8, 0.4]), -(math.log(0.8) + math.log(0.6)) / 2)

    def test_certain_mistakes_cost_something_finite(self):
        self.assertTrue(math.isfinite(judge.log_loss([True], [0.0])))

    def test_predictions_of_another_number_of_rows_are_refused(self):
        with self.assertRaises(ValueError):
            judge.log_loss([True, False], [0.5])


@unittest.skipUnless(pathlib.Path("/usr/bin/time").exists(), "no /usr/bin/time")
class Measuring(InFolder):
    def command(self, text):
        return [sys.executable, "-c", text]

    def measured(self, *commands, **options):
        return measure.measure([self.command(command) for command in commands], repeats=3, log=self.folder / "log", **options)

    def test_peak_memory_is_that_of_the_process_alone(self):
        ballast = bytearray(200 << 20)
        figures = self.measured("pass")
        self.assertLess(figures["peak_memory_bytes"], len(ballast) / 2)
        self.assertGreater(self.measured(f"bytearray({100 << 20})")["peak_memory_bytes"], 100 << 20)

    def test_the_best_run_counts_and_the_times_of_its_commands_add_up(self):
        count = self.file("count", "4")
        text = f"import json, pathlib; p = pathlib.Path({str(count)!r}); n = int(p.read_text()) - 1; p.write_text(str(n)); "
        figures = self.measured(text + "print(json.dumps({'seconds': n + 1}))", "print('{\"seconds\": 10}')",
                                clock=lambda answer: answer["seconds"])
        self.assertEqual(figures["runs"], 3)
        self.assertEqual(figures["part_seconds"], [2, 10])
        self.assertAlmostEqual(figures["spread"], 14 / 12 - 1)

    def test_a_failure_says_why(self):
        with self.assertRaisesRegex(measure.Failed, "no such peer"):
            self.measured("raise SystemExit('no such peer')")


class Page(InFolder):
    def test_only_the_part_between_the_marks_is_replaced(self):
        page = self.file("page.md", "before\n<!-- x:begin -->\nold\n<!-- x:end -->\nafter\n")
        document.replace_between(page, "x", "new", "## X")
        text = page.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"))
        self.assertNotIn("old", text)
        document.replace_between(page, "x", "new", "## X")
        self.assertEqual(page.read_text(), text)

    def test_marks_are_made_at_the_end_where_there_are_none(self):
        page = self.file("page.md", "before\n")
        document.replace_between(page, "x", "new", "## X")
        self.assertRegex(page.read_text(), r"(?s)^before\n\n## X\n\n<!-- x:begin -->.*new.*<!-- x:end -->\n$")

    def test_a_lost_end_mark_is_an_error_and_nothing_is_written(self):
        page = self.file("page.md", "<!-- x:begin -->\nkept\n")
        with self.assertRaises(ValueError):
            document.replace_between(page, "x", "new", "## X")
        self.assertIn("kept", page.read_text())


class Schemas(InFolder):
    def test_a_written_schema_reads_back(self):
        for path in sorted((SOURCE_DIR / "examples/schemas").glob("*.toml")):
            schema = schemas.load(path)
            schemas.write(schema, self.folder / "again.toml")
            self.assertEqual(tomllib.loads((self.folder / "again.toml").read_text()), schema, path.name)

    def test_only_hashed_features_are_encoded_otherwise(self):
        base = schemas.load(SOURCE_DIR / "examples/schemas/adult.toml")
        scaled = schemas.encoded(base, "one_hot", 1 / 1000)
        for before, after in zip(base["feature"], scaled["feature"], strict=True):
            if schemas.is_hashed(before):
                self.assertEqual((after["encoding"], after["cardinality"]), ("one_hot", 1))
            else:
                self.assertEqual(before, after)


class VowpalWabbitText(InFolder):
    def test_a_line_has_a_namespace_for_each_category_and_missing_ones_too(self):
        fields = ["1", *["7"] * 13, *[f"v{i}" for i in range(25)], ""]
        text = self.file("rows.tsv", "\t".join(fields) + "\n" + "\t".join(["0", *fields[1:]]) + "\n")
        lines = inputs.vw_text(text).read_text().splitlines()
        self.assertTrue(lines[0].startswith("1 |a v0 |b v1 ") and lines[0].endswith("|y v24 |z missing"))
        self.assertTrue(lines[1].startswith("-1 |a v0 "))


if __name__ == "__main__":
    unittest.main()
