"""Compares folds= and fold_by= of transform() and fit(), and folds_of(), with --folds and --fold-by of the program."""

import unittest

import numpy

import widehash
from flights_kit import SCHEMA, TRAIN, JobCase, contents, flights, with_program


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


class InMemory(JobCase):
    @with_program
    def test_rows_are_in_the_folds_of_the_program(self):
        data = flights("train")
        self.program("transform", "--schema", SCHEMA, TRAIN, "-o", self.folder / "some", "--folds", "2,4/5", "--fold-by", "tailnum", "--quiet")
        folds = widehash.folds_of(data["tailnum"], 5)
        self.assertEqual((folds.dtype, folds.min(), folds.max()), (numpy.uint32, 1, 5))
        taken = numpy.isin(folds, [2, 4])
        self.assertTrue(0.3 < taken.mean() < 0.5)
        targets = numpy.concatenate([batch.targets for batch in widehash.Dataset(self.folder / "some")])
        numpy.testing.assert_array_equal(targets, numpy.array(data["late"], dtype=numpy.float32)[taken])

    def test_a_value_has_the_fold_of_its_text(self):
        numpy.testing.assert_array_equal(widehash.folds_of(numpy.arange(100), 7), widehash.folds_of([str(i) for i in range(100)], 7))
        numpy.testing.assert_array_equal(widehash.folds_of([None, "a"], 1000), widehash.folds_of(["", "a"], 1000))
        numpy.testing.assert_array_equal(widehash.folds_of(["a", "b"], 1), [1, 1])
        self.assertEqual(len(widehash.folds_of([], 3)), 0)

    def test_wrong_numbers_of_folds_are_refused(self):
        for given in 0, -1, 2**32:
            with self.subTest(given), self.assertRaisesRegex(widehash.ConfigError, "num_folds"):
                widehash.folds_of(["a"], given)
        self.assertRaises(TypeError, widehash.folds_of, ["a"], 0.5)


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
