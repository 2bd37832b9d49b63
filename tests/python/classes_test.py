"""Compares what evaluate() reports for each class with scikit-learn."""

import json
import pickle
import unittest

import numpy as np

try:
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support
except ImportError:
    confusion_matrix = None

import widehash
from flights_kit import JobCase, flights, with_program


class Classes(JobCase):
    """Predicts the carriers of the flights from where and when they fly."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        columns = {field: np.array(texts) for field, texts in flights("train").items()}
        columns["carrier"] = columns["carrier"].astype(object)
        columns["carrier"][:3] = "??"  # a class too rare to be predicted
        cls.carriers = sorted(set(columns["carrier"])) + ["none such"]
        random = np.random.default_rng(5)
        columns["weight"] = random.gamma(1.0, 2.0, len(columns["carrier"])).astype(np.float32)
        label = {"field": "carrier", "classes": cls.carriers}
        features = {"dest": 105, "hour": 24, "month": 12}
        cls.columns = columns
        cls.found = {}
        for kind, settings in [("weighted", {"weight": "weight"}), ("plain", {})]:
            schema = widehash.make_schema(features, label=label, **settings)
            data, model = cls.common / f"{kind}.data", cls.common / f"{kind}.model"
            encoder = widehash.Encoder(schema)
            with widehash.DatasetWriter(encoder, data) as writer:
                writer.append(encoder.encode(columns))
            cls.trained = widehash.train(data, model, valid=data, epochs=2)
            cls.found[kind] = (widehash.evaluate(model, data), widehash.Model(model).predict(columns))

    @unittest.skipIf(confusion_matrix is None, "scikit-learn is not installed")
    def test_all_is_as_scikit_learn_has_it(self):
        targets = np.array([self.carriers.index(carrier) for carrier in self.columns["carrier"]])
        labels = np.arange(len(self.carriers))
        for kind, weights in [("weighted", self.columns["weight"].astype(float)), ("plain", None)]:
            with self.subTest(kind):
                report, probabilities = self.found[kind]
                predicted = probabilities.argmax(axis=1)
                of = {"y_true": targets, "y_pred": predicted, "sample_weight": weights}
                np.testing.assert_allclose(report.confusion, confusion_matrix(labels=labels, **of), rtol=1e-9)
                wanted = precision_recall_fscore_support(labels=labels, zero_division=0, **of)
                for key, values in zip(["precision", "recall", "f1", "support"], wanted):
                    found = [getattr(one, key) or 0 for one in report.classes]
                    np.testing.assert_allclose(found, values, rtol=1e-9, err_msg=key)
                macro = precision_recall_fscore_support(average="macro", zero_division=0, **of)
                np.testing.assert_allclose([report.macro_precision, report.macro_recall, report.macro_f1], macro[:3], rtol=1e-9)
                # One class is never predicted and another does not occur, so that undefined metrics are covered.
                rare = report.classes[self.carriers.index("??")]
                self.assertEqual((rare.precision, rare.recall, rare.f1), (None, 0, 0))
                self.assertEqual((report.classes[-1].recall, report.classes[-1].f1), (None, None))

    def test_names_and_shapes(self):
        report = self.found["weighted"][0]
        self.assertEqual([one.name for one in report.classes], self.carriers)
        self.assertEqual((report.confusion.shape, report.confusion.dtype), ((len(self.carriers),) * 2, np.float64))
        np.testing.assert_allclose(report.confusion.sum(axis=1), [one.support for one in report.classes])
        np.testing.assert_allclose(report.confusion.sum(axis=0), [one.predicted for one in report.classes])
        self.assertAlmostEqual(report.confusion.trace() / report.weight, report.accuracy, 12)

    def test_a_report_is_plain_when_asked_and_can_be_compared(self):
        report = self.found["plain"][0]
        plain = json.loads(json.dumps(report.to_dict()))
        self.assertEqual(plain["confusion"], report.confusion.tolist())
        self.assertEqual(plain["classes"][0], report.classes[0].to_dict())
        self.assertEqual(pickle.loads(pickle.dumps(report)), report)
        self.assertNotEqual(report, self.found["weighted"][0])
        self.assertNotEqual(report, plain)

    @with_program
    def test_the_program_says_the_same(self):
        told = self.program_json("evaluate", self.common / "weighted.model", self.common / "weighted.data")
        self.assertLessEqual({"classes", "confusion", "macro_f1"}, self.assert_within(self.found["weighted"][0], told))

    def test_a_training_has_classes_and_no_matrix(self):
        valid, judged = self.trained.kept_epoch.valid, self.found["plain"][0]
        self.assertIsNone(valid.confusion)
        self.assertEqual((valid.classes, valid.macro_f1), (judged.classes, judged.macro_f1))


if __name__ == "__main__":
    unittest.main()
