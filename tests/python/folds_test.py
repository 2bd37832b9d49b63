"""Compares folds= and fold_by= of transform() and fit() with --folds and --fold-by of the program."""

import unittest

import widehash
from flights_kit import SCHEMA, TRAIN, JobCase, contents, with_program


@with_program
class BesideTheProgram(JobCase):
    def test_the_same_rows_are_taken(self):
        for name, ours, theirs in (("rows", {"folds": "1-9/10"}, ["--folds", "1-9/10"]),
                                   ("fields", {"folds": "2,4/5", "fold_by": "tailnum"}, ["--folds", "2,4/5", "--fold-by", "tailnum"])):
            for job, command in (widehash.transform, "transform"), (widehash.fit, "fit"):
                told = self.program_json(command, "--schema", SCHEMA, TRAIN, "-o", self.folder / (command + name), *theirs)
                report = job(SCHEMA, TRAIN, self.folder / ("our " + command + name), **ours)
                self.assertEqual(contents(self.folder / ("our " + command + name)), contents(self.folder / (command + name)))
                self.assertEqual((report.rows, report.other_fold_rows), (told["rows"], told["other_fold_rows"]))
                self.assertGreater(report.other_fold_rows, 0)
        self.assertEqual(widehash.verify(self.folder / "our transformrows").other_fold_rows,
                         widehash.transform(SCHEMA, TRAIN, self.folder / "our transformrows", folds="1-9/10").other_fold_rows)


class Refused(JobCase):
    def test_in_the_words_of_the_package(self):
        for given, words in [({"folds": "11/10"}, "fold 11, but there are only 10"), ({"folds": ""}, "must not be empty"), ({"fold_by": "dest"}, "folds='1-9/10'"),
                             ({"folds": "1/2", "fold_by": "destt"}, "did you mean 'dest'")]:
            with self.subTest(given), self.assertRaisesRegex(widehash.ConfigError, words):
                widehash.transform(SCHEMA, TRAIN, self.folder / "x", **given)
        self.assertRaises(TypeError, widehash.transform, SCHEMA, TRAIN, self.folder / "x", folds=0.9)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
