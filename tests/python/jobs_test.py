"""The long jobs of the Python package: what they give beside the program, and how they end."""

import errno
import gzip
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy

import widehash

PROGRAM = os.environ.get("WIDEHASH_PROGRAM")
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SCHEMA = EXAMPLES / "schemas/flights.toml"
EXACT_SCHEMA = EXAMPLES / "schemas/flights_exact.toml"
TRAIN = EXAMPLES / "flights/train.tsv.gz"
TEST = EXAMPLES / "flights/test.tsv.gz"
with_program = unittest.skipUnless(PROGRAM, "the program was not built")


class Enough(Exception):
    pass


def contents(path):
    """Name and digest of every file of a folder, locks apart; of a file its digest."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return {str(file.relative_to(path)): contents(file) for file in sorted(path.rglob("*"))
            if file.is_file() and "lock" not in file.name}


class JobCase(unittest.TestCase):
    """A test with a folder of its own, and with datasets, tables and a model of the flights that all share."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.common = pathlib.Path(folder.name)
        cls.data, cls.test, cls.tables = (cls.common / name for name in ["train", "test", "tables"])
        cls.model = cls.common / "model"
        widehash.transform(SCHEMA, TRAIN, cls.data)
        widehash.transform(SCHEMA, TEST, cls.test)
        widehash.fit(SCHEMA, TRAIN, cls.tables)
        widehash.train(cls.data, cls.model, epochs=2)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=240, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout

    def program_json(self, *arguments):
        return json.loads(self.program(*arguments, "--json"))

    def assert_within(self, report, told):
        """Every value that both have is the same, times apart."""
        found = json.loads(json.dumps(report.to_dict()))
        for key in found.keys() & told.keys() - {"seconds"}:
            self.assertEqual(found[key], told[key], key)
        return found.keys() & told.keys()

    def large_table(self, copies=60):
        """The flights many times over: some time to encode."""
        header, _, rows = gzip.decompress(TRAIN.read_bytes()).partition(b"\n")
        path = self.folder / "large.tsv"
        path.write_bytes(header + b"\n" + rows * copies)
        return path


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
                told = self.program_json("train", self.data, "-o", self.folder / "theirs", *words)
                report = widehash.train(self.data, self.folder / "ours", **given)
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
                self.program("train", self.data, "-o", self.folder / "theirs", "--quiet", *given)
                report = widehash.train(self.data, self.folder / "ours", hidden=4, devices="cpu,cpu", parallel=mode, mix=mix,
                                        mix_every=every)
                self.assertEqual(contents(self.folder / "ours"), contents(self.folder / "theirs"))
                self.assertEqual([(device.rank, device.device) for device in report.devices], [(0, "cpu"), (1, "cpu")])
                shares = [[device.read_share, device.compute_share, device.communicate_share, device.wait_share]
                          for device in report.devices]
                numpy.testing.assert_allclose(numpy.sum(shares, axis=1), 1, rtol=1e-6)

    def test_epochs_are_judged_and_stop_early_alike(self):
        words = ["--valid", self.test, "--epochs", 60, "--early-stop", 2, "--lr", 1.5, "--lr-decay", "none", "--batch-size", 512]
        told = self.program_json("train", self.data, "-o", self.folder / "theirs", *words)
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

    def test_evaluate_finds_the_same(self):
        told = self.program_json("evaluate", self.model, self.test)
        metrics = widehash.evaluate(self.model, self.test)
        shared = self.assert_within(metrics, told)
        self.assertEqual(shared, metrics.to_dict().keys() - {"is_worse_than_constant"})
        self.assertEqual(len(metrics.calibration), 10)

    def test_predict_gives_the_same_numbers(self):
        self.program("predict", self.model, TEST, "-o", self.folder / "theirs", "--quiet")
        theirs = numpy.loadtxt(self.folder / "theirs", dtype=numpy.float32)
        for inputs in [TEST, self.test, [str(TEST)]]:
            ours = widehash.predict(self.model, inputs)
            self.assertEqual((ours.dtype, ours.shape), (numpy.float32, (5000,)))
            numpy.testing.assert_array_equal(ours, theirs)

    def test_explain_tells_the_same(self):
        told = self.program_json("explain", self.model, "--tables", self.tables, "--top", 3, "--min-count", 5)["features"]
        features = widehash.explain(self.model, self.tables, top=3, min_count=5)
        for feature, told_feature in zip(features, told, strict=True):
            self.assertEqual(len(self.assert_within(feature, told_feature)), len(told_feature))


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
                             ({"activation": "x"}, "relu"), ({"loss": "x"}, "softmax"), ({"parallel": "x"}, "tower"),
                             ({"lr_decay": "x"}, "linear"), ({"devices": "abacus"}, "abacus"),
                             ({"mix": "parameters"}, "add parallel='tower'"), ({"mix_every": 2}, "mix_every is of towers"),
                             ({"threads": 5000}, "threads = 5000"), ({"from_model": ""}, "from_model is empty"),
                             ({"from_model": self.model, "hidden": [4]}, "hidden is of a new network"),
                             ({"from_model": self.model, "loss": "mse"}, "loss is of a new network"),
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


class Callbacks(JobCase):
    def test_progress_is_told_to_the_calling_thread_and_reaches_the_end(self):
        table = self.large_table(20)
        jobs = [lambda tell: widehash.transform(SCHEMA, table, self.folder / "data", progress=tell),
                lambda tell: widehash.fit(SCHEMA, table, self.folder / "tables", progress=tell),
                lambda tell: widehash.inspect(table, progress=tell),
                lambda tell: widehash.predict(self.model, table, progress=tell)]
        for job in jobs:
            told = []
            job(lambda progress, told=told: told.append((threading.get_ident(), progress)))
            self.assertEqual({thread for thread, _ in told}, {threading.get_ident()})
            rows = [progress.rows for _, progress in told]
            self.assertEqual(rows, sorted(rows))
            self.assertEqual(rows[-1], 400_000)
            self.assertEqual(told[-1][1].bytes_total, table.stat().st_size)
            self.assertEqual(told[-1][1].fraction, 1)

    def test_epochs_are_told_to_the_calling_thread_while_the_training_waits(self):
        seen = []

        def on_epoch(epoch):
            begin = time.monotonic()
            time.sleep(0.05)
            seen.append((threading.get_ident(), epoch.epoch, begin, time.monotonic()))

        report = widehash.train(self.data, self.folder / "model", epochs=3, on_epoch=on_epoch)
        self.assertEqual([item[:2] for item in seen], [(threading.get_ident(), epoch) for epoch in [1, 2, 3]])
        # Had the training gone on meanwhile, the next epoch would have been told before it can have been trained.
        for (*_, end), (_, _, begin, _), epoch in zip(seen, seen[1:], report.epochs[1:]):
            self.assertGreaterEqual(begin - end, epoch.seconds)

    def test_what_a_callback_raises_comes_out_of_every_job(self):
        table = self.large_table()

        def raise_enough(_):
            raise Enough("enough")

        for job in [lambda: widehash.transform(SCHEMA, table, self.folder / "d", block_bytes=500_000, progress=raise_enough),
                    lambda: widehash.fit(SCHEMA, table, self.folder / "t", progress=raise_enough),
                    lambda: widehash.inspect(table, progress=raise_enough),
                    lambda: widehash.predict(self.model, table, progress=raise_enough),
                    lambda: widehash.verify(self.data, progress=raise_enough),
                    lambda: widehash.audit(self.tables, progress=raise_enough),
                    lambda: widehash.evaluate(self.model, self.test, progress=raise_enough),
                    lambda: widehash.train(self.data, self.folder / "m", progress=raise_enough),
                    lambda: widehash.train(self.data, self.folder / "m", on_epoch=raise_enough)]:
            with self.assertRaises(Enough) as raised:
                job()
            self.assertEqual(raised.exception.args, ("enough",))

    def test_an_exception_tells_in_its_context_how_to_go_on(self):
        def stop(_):
            raise Enough

        with self.assertRaises(Enough) as raised:
            widehash.train(self.data, self.folder / "model", epochs=5, checkpoint_every=5, batch_size=512, on_epoch=stop)
        self.assertIsInstance(raised.exception.__context__, widehash.Stopped)
        self.assertTrue((self.folder / "model.checkpoint").exists())

    def test_jobs_may_be_called_from_callbacks(self):
        losses = []

        def judge(epoch):
            losses.append((epoch.valid.log_loss, widehash.evaluate(self.folder / "model", self.test).log_loss))

        widehash.train(self.data, self.folder / "model", epochs=2, valid=self.test, on_epoch=judge)
        self.assertEqual(len(losses), 2)
        self.assertGreater(losses[0][0], losses[1][0])
        for told, found in losses:
            self.assertEqual(told, found)


class Interrupts(JobCase):
    def interrupt_once_it_runs(self, job):
        """Runs `job(started)`, sends a SIGINT a little after it has called `started`, and requires KeyboardInterrupt soon."""
        started = threading.Event()
        sent = []

        def send():
            self.assertTrue(started.wait(60))
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=send)
        sender.start()
        try:
            with self.assertRaises(KeyboardInterrupt) as raised:
                job(lambda _: started.set())
        finally:
            started.set()
            sender.join()
        self.assertLess(time.monotonic() - sent[0], 10)
        return raised.exception

    def test_ctrl_c_stops_transform_and_the_same_call_carries_on(self):
        table = self.large_table()
        given = {"block_bytes": 500_000, "threads": 2}
        widehash.transform(SCHEMA, table, self.folder / "whole", **given)
        error = self.interrupt_once_it_runs(
            lambda tell: widehash.transform(SCHEMA, table, self.folder / "data", progress=tell, **given))
        self.assertIsInstance(error.__context__, widehash.Stopped)
        self.assertFalse((self.folder / "data/manifest.json").exists())
        report = widehash.transform(SCHEMA, table, self.folder / "data", **given)
        self.assertGreater(report.resumed_shards, 0)
        self.assertLess(report.resumed_shards, report.shards)
        self.assertEqual(contents(self.folder / "data"), contents(self.folder / "whole"))

    def test_ctrl_c_stops_train_and_resume_goes_on(self):
        given = {"epochs": 300, "batch_size": 64, "checkpoint_every": 1000, "hidden": [8]}
        widehash.train(self.data, self.folder / "whole", **given)
        error = self.interrupt_once_it_runs(
            lambda tell: widehash.train(self.data, self.folder / "model", on_epoch=tell, **given))
        self.assertIsInstance(error.__context__, widehash.Stopped)
        self.assertTrue((self.folder / "model.checkpoint").exists())
        report = widehash.train(self.data, self.folder / "model", resume=True, **given)
        self.assertLess(len(report.epochs), 300)
        self.assertEqual(contents(self.folder / "model"), contents(self.folder / "whole"))

    def test_ctrl_c_stops_jobs_that_keep_nothing(self):
        table = self.large_table(100)
        for job in [lambda tell: widehash.inspect(table, progress=tell, threads=1),
                    lambda tell: widehash.predict(self.model, table, progress=tell, threads=1),
                    lambda tell: widehash.fit(SCHEMA, table, self.folder / "tables", progress=tell, threads=1)]:
            self.interrupt_once_it_runs(job)
        self.assertFalse((self.folder / "tables/tables.json").exists())

    def test_a_signal_that_raises_nothing_stops_nothing(self):
        seen = []
        before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        report = widehash.train(self.data, self.folder / "model", epochs=3,
                                on_epoch=lambda _: os.kill(os.getpid(), signal.SIGUSR1))
        self.assertEqual((len(seen), len(report.epochs)), (3, 3))


class SideBySide(JobCase):
    def test_jobs_of_several_threads_do_not_disturb_each_other(self):
        given = {"hidden": [4], "epochs": 3}
        widehash.train(self.data, self.folder / "alone", **given)
        table = self.large_table(10)
        widehash.transform(SCHEMA, table, self.folder / "alone data", block_bytes=500_000)
        failures = []

        def run(job):
            try:
                job()
            except BaseException as error:  # told below
                failures.append(error)

        threads = []
        for i in range(3):
            threads.append(threading.Thread(target=run, args=[
                lambda i=i: widehash.train(self.data, self.folder / f"model{i}", threads=i + 1, **given)]))
            threads.append(threading.Thread(target=run, args=[
                lambda i=i: widehash.transform(SCHEMA, table, self.folder / f"data{i}", block_bytes=500_000, threads=3 - i)]))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        for i in range(3):
            self.assertEqual(contents(self.folder / f"model{i}"), contents(self.folder / "alone"))
            self.assertEqual(contents(self.folder / f"data{i}"), contents(self.folder / "alone data"))

    def test_a_job_of_a_daemon_thread_does_not_outlive_the_interpreter(self):
        script = ("import sys, threading, widehash\n"
                  "data, model = sys.argv[1:]\n"
                  "started = threading.Event()\n"
                  "job = lambda: widehash.train(data, model, hidden=[256, 64], batch_size=1, epochs=10, checkpoint_every=10**9,\n"
                  "                             progress=lambda _: started.set())\n"
                  "threading.Thread(target=job, daemon=True).start()\n"
                  "started.wait()\n")
        done = subprocess.run([sys.executable, "-B", "-c", script, self.data, self.folder / "model"], capture_output=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        # Written within the first epoch, because the training was asked to stop and then waited for.
        self.assertTrue((self.folder / "model.checkpoint").exists())
        self.assertFalse((self.folder / "model").exists())

    def test_a_second_training_to_the_same_file_is_refused(self):
        refusals = []

        def again(_):
            with self.assertRaises(widehash.Error) as raised:
                widehash.train(self.data, self.folder / "model")
            refusals.append(raised.exception)

        widehash.train(self.data, self.folder / "model", on_epoch=again)
        self.assertEqual(len(refusals), 1)
        self.assertIn("model", str(refusals[0]))

    def test_other_threads_of_python_run_on(self):
        table = self.large_table()
        ticks = []
        done = threading.Event()

        def tick():
            while not done.wait(0.005):
                ticks.append(time.monotonic())

        ticker = threading.Thread(target=tick)
        ticker.start()
        begin = time.monotonic()
        widehash.fit(SCHEMA, table, self.folder / "tables", threads=1)
        end = time.monotonic()
        done.set()
        ticker.join()
        within = [moment for moment in ticks if begin < moment < end]
        self.assertGreater(len(within), (end - begin) / 0.1)


if __name__ == "__main__":
    unittest.main()
