"""The long jobs of the Python package: their results compared with the program's, and how they refuse bad arguments."""

import errno
import gzip
import io
import json
import os
import pathlib
import unittest

import numpy
import widehash
from flights_kit import EXACT_SCHEMA, JobCase, SCHEMA, TEST, TRAIN, contents, with_program


class Enough(Exception):
    pass


@with_program
class BesideTheProgram(JobCase):
    def test_transform_writes_the_same_dataset(self):
        told = self.program_json("transform", "--schema", SCHEMA, TRAIN, "-o", self.folder / "theirs")
        report = widehash.transform(SCHEMA, TRAIN, self.folder / "ours")
        self.assertEqual(contents(self.folder / "ours"), contents(self.folder / "theirs"))
        self.assertLessEqual({"rows", "shards", "num_columns", "output_bytes", "rejected_file"}, self.assert_within(report, told))

    def test_threads_blocks_and_lists_of_inputs_make_no_other_difference(self):
        inputs = [TRAIN, str(TEST)]
        self.program("transform", "--schema", SCHEMA, *inputs, "-o", self.folder / "theirs", "--quiet")
        for threads in [1, 3]:
            widehash.transform(str(SCHEMA), inputs, self.folder / str(threads), threads=threads)
            self.assertEqual(contents(self.folder / str(threads)), contents(self.folder / "theirs"))
        report = widehash.transform(SCHEMA, inputs, self.folder / "small", block_bytes=100_000)
        self.assertGreater(report.shards, 5)

    def test_fit_writes_the_same_tables_and_transform_uses_them(self):
        told = self.program_json("fit", "--schema", EXACT_SCHEMA, TRAIN, "-o", self.folder / "theirs")
        report = widehash.fit(EXACT_SCHEMA, TRAIN, self.folder / "ours")
        self.assertEqual(contents(self.folder / "ours"), contents(self.folder / "theirs"))
        self.assertLessEqual({"rows", "tables_fingerprint", "already_complete"},
                             self.assert_within(report, told | {"features": report.to_dict()["features"]}))
        for item, told_item in zip(report.features, told["features"], strict=True):
            self.assertEqual((item.feature, item.num_values, item.file),
                             (told_item["feature"], told_item["num_values"], told_item["file"]))
        self.assertTrue(widehash.fit(EXACT_SCHEMA, TRAIN, self.folder / "ours").already_complete)
        widehash.transform(EXACT_SCHEMA, TEST, self.folder / "our data", tables=self.folder / "ours")
        self.program("transform", "--schema", EXACT_SCHEMA, TEST, "--tables", self.folder / "theirs", "-o",
                     self.folder / "their data", "--quiet")
        self.assertEqual(contents(self.folder / "our data"), contents(self.folder / "their data"))

    def test_inspect_proposes_the_same_schema(self):
        told = self.program_json("inspect", TRAIN, "--label", "late", "--max-rows", 3000)
        report = widehash.inspect(TRAIN, label="late", max_rows=3000)
        self.assertLessEqual({"rows", "fields", "notes", "schema", "header", "delimiter"}, self.assert_within(report, told))
        self.assertEqual(report.schema.label, "late")
        self.assertEqual(report.schema, widehash.parse_schema(report.toml))
        self.assertEqual(widehash.inspect(TRAIN, header=False).fields[0].name, "f0")

    def test_inspect_cuts_text_as_given(self):
        path = self.folder / "odd.txt"
        path.write_text("a!b\n" + "1!'2!3'\n" * 9)
        report = widehash.inspect(path, delimiter="!", quote="'")
        self.assertEqual((report.delimiter, report.quote, report.rows), ("!", "'", 9))
        self.assertEqual(widehash.inspect(path, delimiter=",", quote="").quote, "")
        for wrong in [{"delimiter": ""}, {"delimiter": "ab"}, {"quote": "é"}, {"delimiter": "!", "quote": "!"}]:
            with self.assertRaises(widehash.ConfigError):
                widehash.inspect(path, **wrong)
        with self.assertRaisesRegex(TypeError, "delimiter"):
            widehash.inspect({"a": [1, 2]}, delimiter=",")
        with self.assertRaisesRegex(widehash.ConfigError, "header=True"):
            widehash.inspect(path, delimiter="!", quote="'", header=False, label="c")

    def test_verify_and_audit_find_the_same(self):
        for path in [self.data, self.tables, self.model]:
            told = self.program_json("verify", path)
            report = widehash.verify(path)
            self.assertEqual(len(self.assert_within(report, told)), len(report.to_dict()), path)
        told = self.program_json("audit", self.tables)["features"]
        self.assertEqual([audit.to_dict() for audit in widehash.audit(self.tables)], told)

    def test_train_writes_the_same_model_with_the_same_defaults(self):
        ways = [
            ({}, []),
            ({"hidden": [8, 4], "activation": "tanh", "epochs": 2}, ["--hidden", "8,4", "--activation", "tanh", "--epochs", 2]),
            ({"optimizer": "ftrl", "l1": 1e-4, "beta": 0.5}, ["--optimizer", "ftrl", "--l1", "1e-4", "--beta", 0.5]),
            ({"optimizer": "adam", "learning_rate": 0.002, "beta1": 0.8, "beta2": 0.99, "epsilon": 1e-4, "lr_decay": "none"},
             ["--optimizer", "adam", "--lr", 0.002, "--beta1", 0.8, "--beta2", 0.99, "--epsilon", 1e-4, "--lr-decay", "none"]),
            ({"optimizer": "rmsprop", "rho": 0.8, "l2": 0, "batch_size": 100, "seed": 5, "shuffle": False},
             ["--optimizer", "rmsprop", "--rho", 0.8, "--l2", 0, "--batch-size", 100, "--seed", 5, "--no-shuffle"]),
            ({"loss": "mse", "hidden": "auto"}, ["--loss", "mse", "--hidden", "auto"]),
            ({"from_model": self.model}, ["--from", self.model]),
            ({"from_model": str(self.model), "optimizer": "sgd"}, ["--from", self.model, "--optimizer", "sgd"]),
        ]
        for given, words in ways:
            with self.subTest(words):
                told = self.program_json("train", self.data, "-o", self.folder / "theirs", "--overwrite", *words)
                report = widehash.train(self.data, self.folder / "ours", overwrite=True, **given)
                self.assertEqual(contents(self.folder / "ours"), contents(self.folder / "theirs"))
                self.assertEqual(report.optimizer.to_dict(), told["optimizer"])
                for key in ["batch_size", "rows", "num_columns", "num_parameters", "best_epoch", "kept_state"]:
                    self.assertEqual(getattr(report, key), told[key], key)
                self.assertEqual(report.kept_epoch.train_loss, told["train_loss"])

    def test_two_devices_train_as_those_of_the_program(self):
        for mode, mix, every in [("data", "gradients", 1), ("model", "gradients", 1), ("tower", "gradients", 1),
                                 ("tower", "parameters", 3), ("tower", "predictions", 1)]:
            with self.subTest(mode=mode, mix=mix):
                given = ["--devices", "cpu,cpu", "--parallel", mode, "--hidden", "4", "--mix", mix, "--mix-every", every]
                self.program("train", self.data, "-o", self.folder / "theirs", "--overwrite", "--quiet", *given)
                report = widehash.train(self.data, self.folder / "ours", overwrite=True, hidden=4, devices="cpu,cpu", parallel=mode, mix=mix,
                                        mix_every=every)
                self.assertEqual(contents(self.folder / "ours"), contents(self.folder / "theirs"))
                self.assertEqual([(device.rank, device.device) for device in report.devices], [(0, "cpu"), (1, "cpu")])
                shares = [[device.read_share, device.compute_share, device.communicate_share, device.wait_share]
                          for device in report.devices]
                numpy.testing.assert_allclose(numpy.sum(shares, axis=1), 1, rtol=1e-6)

    def test_several_datasets_are_trained_on_as_one(self):
        self.program_json("train", self.data, self.test, "-o", self.folder / "theirs", "--epochs", 2)
        for datasets in ([self.data, self.test], (path for path in (str(self.data), widehash.Dataset(self.test)))):
            report = widehash.train(datasets, self.folder / "ours", overwrite=True, epochs=2)
            self.assertEqual(report.rows, 2 * (len(widehash.Dataset(self.data)) + len(widehash.Dataset(self.test))))
            self.assertEqual(contents(self.folder / "ours"), contents(self.folder / "theirs"))
        for wrong in (None, 3, [None], {"a": [1]}):
            with self.assertRaises(TypeError):
                widehash.train(wrong, self.folder / "ours")
        with self.assertRaises(widehash.ConfigError):
            widehash.train([], self.folder / "ours")

    def test_epochs_are_judged_and_stop_early_alike(self):
        words = ["--valid", self.test, "--epochs", 60, "--early-stop", 2, "--lr", 1.5, "--lr-decay", "none", "--batch-size", 512]
        told = self.program_json("train", self.data, "-o", self.folder / "theirs", *words, warning=b"is worse than a constant")
        seen = []
        report = widehash.train(self.data, self.folder / "ours", valid=self.test, epochs=60, early_stop=2, learning_rate=1.5,
                                lr_decay="none", batch_size=512, on_epoch=seen.append)
        self.assertTrue(report.stopped_early)
        self.assertEqual(contents(self.folder / "ours"), contents(self.folder / "theirs"))
        self.assertEqual((report.best_epoch, len(report.epochs)), (told["best_epoch"], len(told["epochs"])))
        self.assertEqual(report.best_epoch, len(report.epochs) - 2)
        self.assertEqual(seen, report.epochs)
        self.assertEqual([epoch.valid.log_loss for epoch in seen], [epoch["valid_log_loss"] for epoch in told["epochs"]])
        self.assertEqual(report.kept_epoch.valid.auc, told["auc"])

    def test_several_datasets_are_judged_predicted_and_exported_as_one(self):
        other = self.folder / "other"
        widehash.transform(SCHEMA, TEST, other)
        both = [self.test, other]
        metrics = widehash.evaluate(self.model, both)
        self.assertEqual(metrics.rows, 2 * widehash.evaluate(self.model, self.test).rows)
        report = widehash.train(self.data, self.folder / "x", valid=iter(both))
        self.assertEqual(report.epochs[0].valid.rows, metrics.rows)
        self.assertEqual(len(widehash.predict(self.model, both)), metrics.rows)
        self.assertEqual(widehash.export(both, self.folder / "x.vw", format="vw").rows, metrics.rows)
        with self.assertRaisesRegex(widehash.ConfigError, "is given twice"):
            widehash.evaluate(self.model, [self.test, self.test])
        with self.assertRaisesRegex(widehash.ConfigError, "valid: there is none"):
            widehash.train(self.data, self.folder / "y", valid=[])

    def test_predict_gives_the_same_numbers(self):
        self.program("predict", self.model, TEST, "-o", self.folder / "theirs", "--quiet")
        theirs = numpy.loadtxt(self.folder / "theirs", dtype=numpy.float32)
        for inputs in [TEST, self.test, [str(TEST)]]:
            ours = widehash.predict(self.model, inputs)
            self.assertEqual((ours.dtype, ours.shape), (numpy.float32, (5000,)))
            numpy.testing.assert_array_equal(ours, theirs)

    def test_explain_gives_the_same(self):
        told = self.program_json("explain", self.model, "--tables", self.tables, "--top", 3, "--min-count", 5)["features"]
        features = widehash.explain(self.model, self.tables, top=3, min_count=5)
        for feature, told_feature in zip(features, told, strict=True):
            self.assertEqual(len(self.assert_within(feature, told_feature)), len(told_feature))

    def test_export_writes_the_same_files_and_devices_are_the_same(self):
        for form in ["npz", "libsvm", "vw"]:
            told = self.program_json("export", self.test, "--format", form, "-o", self.folder / "theirs")
            report = widehash.export(self.test, self.folder / "ours", format=form)
            self.assertEqual(contents(self.folder / "ours"), contents(self.folder / "theirs"))
            self.assertEqual(self.assert_within(report, told), {"rows", "num_columns"})
        found = widehash.devices()
        self.assertEqual(self.assert_within(found, self.program_json("devices")), found.to_dict().keys())


class Results(JobCase):
    def test_a_schema_object_gives_the_same_codes_as_its_file(self):
        widehash.transform(widehash.load_schema(str(SCHEMA)), TRAIN, self.folder / "object")
        shards = {name: digest for name, digest in contents(self.data).items() if name.endswith(".shard")}
        self.assertTrue(shards)
        self.assertEqual(shards, {name: digest for name, digest in contents(self.folder / "object").items()
                                  if name.endswith(".shard")})

    def test_several_outputs_have_a_column_each_and_bad_rows_are_nan(self):
        schema = widehash.parse_schema('label = { field = "y", classes = ["a", "b", "c"] }\n'
                                       '[[feature]]\nfield = "x"\ncardinality = 10\n'
                                       '[[feature]]\nfield = "n"\nencoding = "numeric"\n')
        table = self.folder / "t.tsv"
        table.write_text("y\tx\tn\n" + "a\tr\t1\nb\ts\t2\nc\tt\t3\n" * 50)
        widehash.transform(schema, table, self.folder / "data")
        report = widehash.train(self.folder / "data", self.folder / "model", epochs=20)
        self.assertIsNone(report.kept_state)
        table.write_text("y\tx\tn\na\tr\t1\nb\ts\tmany\nc\tt\t3\n")
        with self.assertRaises(widehash.DataError) as raised:
            widehash.predict(self.folder / "model", table)
        self.assertEqual((raised.exception.path, raised.exception.row), (str(table), 3))
        found = widehash.predict(self.folder / "model", table, max_bad_rows=1, rejected=self.folder / "bad.tsv")
        self.assertEqual(found.shape, (3, 3))
        self.assertEqual(numpy.isnan(found).tolist(), [[False] * 3, [True] * 3, [False] * 3])
        numpy.testing.assert_array_equal(numpy.argmax(found[[0, 2]], axis=1), [0, 2])
        self.assertIn("many", (self.folder / "bad.tsv").read_text())
        table.write_text("y\tx\tn\na\tr\t1\n")
        widehash.predict(self.folder / "model", table, max_bad_rows=1, rejected=self.folder / "bad.tsv")
        self.assertFalse((self.folder / "bad.tsv").exists())
        self.assertRaises(widehash.ConfigError, widehash.predict, self.folder / "model", table, max_bad_rows=1, rejected=table)

    def test_no_rows_have_no_predictions(self):
        table = self.folder / "t.tsv"
        table.write_bytes(gzip.decompress(TEST.read_bytes()).partition(b"\n")[0] + b"\n")
        self.assertEqual(widehash.predict(self.model, table).shape, (0,))

    def test_reports_are_read_only_and_plain(self):
        report = widehash.transform(SCHEMA, TEST, self.folder / "data")
        self.assertIn("rows=5000", repr(report))
        with self.assertRaises(AttributeError):
            report.rows = 1
        for found in [report, widehash.inspect(TEST), widehash.fit(SCHEMA, TEST, self.folder / "tables"),
                      widehash.train(self.data, self.folder / "model", valid=self.test)]:
            self.assertEqual(json.loads(json.dumps(found.to_dict())), found.to_dict())

    def test_a_report_of_many_epochs_is_a_few_lines(self):
        report = widehash.train(self.data, self.folder / "model", valid=self.test, epochs=4)
        self.assertIn(f"kept_epoch=EpochReport(epoch={report.best_epoch}, ", repr(report))
        self.assertIn(f"log_loss={report.kept_epoch.valid.log_loss!r}", repr(report))
        self.assertLess(len(repr(report)), 2000)
        self.assertEqual(len(report.to_dict()["epochs"]), 4)

    def test_what_on_epoch_raises_ends_the_training_with_that_epoch(self):
        schema = widehash.make_schema({"a": 9}, label="y")
        with widehash.DatasetWriter(widehash.Encoder(schema), self.folder / "short") as writer:
            writer.append({"a": [i % 9 for i in range(200)], "y": [i % 2 for i in range(200)]})

        def stop(epoch):
            raise Enough

        for batch_size in [200, 20]:
            found = set()
            for _ in range(30):
                self.assertRaises(Enough, widehash.train, self.folder / "short", self.folder / "model", epochs=5000,
                                  batch_size=batch_size, on_epoch=stop, overwrite=True)
                found.add((widehash.verify(self.folder / "model").epoch, contents(self.folder / "model")))
            self.assertEqual(len(found), 1)
            self.assertEqual(found.pop()[0], 1)

    def test_an_interrupted_training_is_resumed_to_the_same_model(self):
        given = {"epochs": 4, "batch_size": 128, "hidden": "4", "checkpoint_every": 10}
        whole = widehash.train(self.data, self.folder / "whole", **given)
        self.assertEqual([epoch.epoch for epoch in whole.epochs], [1, 2, 3, 4])

        def stop(epoch):
            if epoch.epoch == 2:
                raise Enough

        self.assertRaises(Enough, widehash.train, self.data, self.folder / "model", on_epoch=stop, **given)
        self.assertTrue((self.folder / "model.checkpoint").exists())
        report = widehash.train(self.data, self.folder / "model", resume=True, **given)
        self.assertEqual([epoch.epoch for epoch in report.epochs], [3, 4])
        self.assertEqual(contents(self.folder / "model"), contents(self.folder / "whole"))


class Errors(JobCase):
    def test_a_missing_file_is_an_os_error_too(self):
        missing = self.folder / "missing.tsv"
        for call in [lambda: widehash.transform(SCHEMA, missing, self.folder / "x"),
                     lambda: widehash.fit(missing, TRAIN, self.folder / "x"),
                     lambda: widehash.inspect(missing), lambda: widehash.train(missing, self.folder / "x"),
                     lambda: widehash.evaluate(missing, self.test), lambda: widehash.predict(missing, self.test),
                     lambda: widehash.explain(self.model, missing), lambda: widehash.verify(missing),
                     lambda: widehash.audit(missing)]:
            with self.assertRaises(widehash.FileError) as raised:
                call()
            self.assertIsInstance(raised.exception, OSError)
            self.assertEqual(raised.exception.errno, errno.ENOENT)
            self.assertTrue(raised.exception.filename.startswith(str(missing)), raised.exception.filename)

    def test_export_refuses_what_it_cannot_write(self):
        for output, given, words in [(self.folder, "npz", "is a folder"), (self.test / "x.npz", "npz", "folder|read"),
                                     (self.folder / "x", "csv", "'npz', 'libsvm' or 'vw'")]:
            with self.assertRaisesRegex(widehash.ConfigError, words):
                widehash.export(self.test, output, format=given)
        with self.assertRaises(widehash.FileError):
            widehash.export(self.test, self.folder / "none/x.npz", format="npz")
        with self.assertRaises(widehash.FileError):
            widehash.export(self.folder / "none", self.folder / "x.npz", format="npz")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_is_no_path_is_refused_by_its_kind(self):
        jobs = [widehash.inspect, lambda inputs: widehash.fit(SCHEMA, inputs, self.folder / "x"),
                lambda inputs: widehash.transform(SCHEMA, inputs, self.folder / "x"),
                lambda inputs: widehash.predict(self.model, inputs)]
        with open(SCHEMA, "rb") as file:
            for inputs, words in [(io.StringIO("a\n1\n"), "not StringIO: give the path"), (file, "not BufferedReader: give the path"),
                                  ([file], "not BufferedReader"), (None, "not NoneType"), ([None], "not NoneType"), (5, "not int")]:
                for job in jobs:
                    with self.assertRaisesRegex(TypeError, "inputs must be the path or glob of files, or several of them, " + words):
                        job(inputs)
        self.assertFalse((self.folder / "x").exists())
        self.assertEqual(widehash.inspect(path for path in [TEST]).rows, 5000)

    def test_what_is_no_path_is_refused_by_the_name_of_its_argument(self):
        for call, words in [(lambda: widehash.train({"a": [1]}, self.folder / "x"), "dataset must be a path or several, not a dict; DatasetWriter"),
                            (lambda: widehash.train(self.data, 5), "model must be .*, not an int"),
                            (lambda: widehash.train(self.data, self.folder / "x", valid=5), "valid must be a path or several, not an int"),
                            (lambda: widehash.train(self.data, self.folder / "x", from_model=5), "from_model must be .*, not an int"),
                            (lambda: widehash.train(self.data, self.folder / "x", profile=5), "profile must be .*, not an int"),
                            (lambda: widehash.evaluate(self.model, {"a": [1]}), "inputs are files; rows in memory, such as this dict,"),
                            (lambda: widehash.explain(self.model, None), "tables must be a path, not None"),
                            (lambda: widehash.transform(SCHEMA, TEST, 5), "output must be .*, not an int"),
                            (lambda: widehash.transform(SCHEMA, TEST, self.folder / "x", tables={}), "tables must be .*, not a dict"),
                            (lambda: widehash.predict(self.model, TEST, tables=5), "tables must be .*, not an int"),
                            (lambda: widehash.predict(self.model, TEST, rejected=5), "rejected must be .*, not an int"),
                            (lambda: widehash.Encoder(SCHEMA, 5), "tables must be .*, not an int"), (lambda: widehash.Model(self.model, 5), "tables must be .*, not an int"),
                            (lambda: widehash.Model([self.model]), "path must be .*, not a list"), (lambda: widehash.Dataset(5), "directory must be .*, not an int"),
                            (lambda: widehash.LookupTables([]), "directory must be .*, not a list"), (lambda: widehash.verify([self.data]), "path must be .*, not a list")]:
            with self.subTest(words), self.assertRaisesRegex(TypeError, "^" + words):
                call()
        for call in [lambda: widehash.Dataset("\ud800"), lambda: widehash.inspect("\ud800"), lambda: widehash.Encoder(SCHEMA, "\ud800")]:
            with self.assertRaisesRegex(widehash.ConfigError, "a path cannot hold half of a surrogate pair"):
                call()
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_shard_of_no_input_is_refused(self):
        with self.assertRaisesRegex(widehash.ConfigError, "blocks of 0 bytes hold no rows; raise block_bytes"):
            widehash.transform(SCHEMA, TEST, self.folder / "x", block_bytes=0)
        self.assertFalse((self.folder / "x").exists())

    def test_hidden_layers_are_sizes_of_any_kind_and_nothing_else(self):
        for same in [[4, 2], (4, 2), "4,2", numpy.array([4, 2], dtype=numpy.int8), range(4, 0, -2)]:
            widehash.train(self.data, self.folder / "model", overwrite=True, hidden=same)
            self.assertEqual(widehash.Model(self.folder / "model").hidden, [4, 2])
        for wrong in [1.5, b"auto", {4}, {4: 2}, object()]:
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, "hidden = .*: must be layer sizes, .*, not " + type(wrong).__name__):
                widehash.train(self.data, self.folder / "model", overwrite=True, hidden=wrong)

    def test_a_bad_row_is_named(self):
        table = self.folder / "t.tsv"
        lines = gzip.decompress(TEST.read_bytes()).split(b"\n")
        lines[7] = b"1\t2"
        table.write_bytes(b"\n".join(lines))
        for job in [widehash.transform, widehash.fit]:
            with self.assertRaises(widehash.DataError) as raised:
                job(SCHEMA, table, self.folder / job.__name__)
            self.assertEqual((raised.exception.path, raised.exception.row), (str(table), 8))
            report = job(SCHEMA, table, self.folder / job.__name__, max_bad_rows=1)
            self.assertEqual((report.rows, report.rejected_rows), (4999, 1))
            self.assertIn("1\\t2", pathlib.Path(report.rejected_file).read_text())

    def test_wrong_options_are_config_errors_before_any_work(self):
        model = self.folder / "model"
        for given, words in [({"hidden": "x"}, "'x'"), ({"epochs": -1}, "epochs = -1"), ({"optimizer": "adm"}, "adagrad"),
                             ({"activation": "x"}, "relu"), ({"activation": "tanh"}, "activation is for hidden layers"), ({"loss": "x"}, "softmax"), ({"parallel": "x"}, "tower"),
                             ({"lr_decay": "x"}, "linear"), ({"devices": "abacus"}, "abacus"),
                             ({"mix": "parameters"}, "add parallel='tower'"), ({"mix_every": 2}, "mix_every is for towers"),
                             ({"threads": 9000}, "threads = 9000"), ({"from_model": ""}, "from_model is empty"),
                             ({"from_model": self.model, "hidden": [4]}, "hidden is for a new network"),
                             ({"from_model": self.model, "loss": "mse"}, "loss is for a new network"),
                             ({"learning_rate": -1}, "learning_rate")]:
            with self.subTest(given), self.assertRaisesRegex(widehash.ConfigError, words):
                widehash.train(self.data, model, **given)
        for given in [{"learning_rate": "fast"}, {"epochs": 1.5}, {"optimizer": 3}, {"hidden": [1.5]}]:
            with self.subTest(given), self.assertRaises(TypeError):
                widehash.train(self.data, model, **given)
        self.assertRaises(widehash.ConfigError, widehash.transform, SCHEMA, [], self.folder / "x")
        self.assertRaises(widehash.ConfigError, widehash.inspect, TRAIN, label="nobody")
        self.assertRaises(TypeError, widehash.transform, SCHEMA, 5, self.folder / "x")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_place_that_cannot_be_written_is_found_before_the_training(self):
        epochs = []
        with self.assertRaises(widehash.FileError):
            widehash.train(self.data, self.folder / "no/such/model", on_epoch=epochs.append)
        self.assertEqual(epochs, [])

    def test_a_damaged_file_is_named(self):
        model = self.folder / "model"
        found = bytearray(self.model.read_bytes())
        found[len(found) // 2] ^= 1
        model.write_bytes(found)
        with self.assertRaises(widehash.DataError) as raised:
            widehash.verify(model)
        self.assertEqual(raised.exception.path, str(model))

    def test_names_and_values_of_any_bytes_come_through(self):
        missing = os.fsencode(self.folder) + b"/\xff.tsv"
        with self.assertRaises(widehash.FileError) as raised:
            widehash.inspect(missing)
        self.assertEqual(os.fsencode(raised.exception.filename), missing)
        (self.folder / "t.tsv").write_bytes(b"y\tx\n1\t\xff\n0\ta\n" * 1 + b"1\t\xff\n" * 20)
        schema = widehash.parse_schema('label = "y"\n[[feature]]\nfield = "x"\ncardinality = 10\n')
        widehash.fit(schema, self.folder / "t.tsv", self.folder / "tables")
        widehash.transform(schema, self.folder / "t.tsv", self.folder / "data")
        widehash.train(self.folder / "data", self.folder / "model")
        effects = widehash.explain(self.folder / "model", self.folder / "tables", min_count=1)[0].highest
        self.assertEqual(effects[0].value.encode("utf-8", "surrogateescape"), b"\xff")


if __name__ == "__main__":
    unittest.main()
