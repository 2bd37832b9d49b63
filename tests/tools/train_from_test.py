"""`train --from`: training continues from yesterday's model with today's rows."""

import json
import unittest

from program import Case, FlightsCase, SCHEMA, run, table


class Days(Case):
    """A day, its model, and the following day."""

    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        for name, count, seed in [("day1", 3000, 1), ("day2", 2000, 2), ("day3", 1000, 3)]:
            self.encode(name, table(count, seed))
        self.day1, self.day2, self.day3 = (self.folder / name for name in ["day1", "day2", "day3"])
        self.model, self.next = self.folder / "1.model", self.folder / "2.model"

    def encode(self, name, text):
        data = self.write(name + ".tsv", text)
        self.succeed("transform", "--schema", self.schema, data, "-o", self.folder / name, "--quiet")

    def begin(self, *words):
        self.succeed("train", self.day1, "-o", self.model, "--overwrite", "--quiet", *words)

    def go_on(self, *words):
        return self.succeed_json("train", self.day2, "--from", self.model, "-o", self.next, "--overwrite", *words)

    def loss(self, model):
        return self.succeed_json("evaluate", model, self.day3)["log_loss"]

    def test_ftrl_of_the_model_has_no_rate_that_falls(self):
        self.begin("--optimizer", "ftrl")
        go_on = ["train", self.day2, "--from", self.model, "-o", self.next, "--quiet"]
        self.assertIn("leave --lr-decay out", self.fail_with(2, *go_on, "--lr-decay", "linear"))
        self.assertFalse(self.next.exists())
        self.succeed(*go_on, "--lr-decay", "none")
        self.assertIn("leave --lr-decay out", self.fail_with(2, *go_on, "--lr-decay", "linear", "--resume", "--epochs", 2))

    def test_more_rows_make_a_better_model(self):
        self.begin()
        before = self.model.read_bytes()
        report = self.go_on()
        self.assertEqual((report["from"], report["kept_state"], report["rows"]), (str(self.model), True, 2000))
        self.assertEqual(report["optimizer"]["decay_start"], 6)
        self.assertEqual(report["optimizer"]["decay_steps"], 8)
        self.assertLess(self.loss(self.next), self.loss(self.model))
        self.assertEqual(self.model.read_bytes(), before)
        fresh = self.succeed_json("train", self.day2, "-o", self.folder / "fresh")
        self.assertEqual((fresh["from"], fresh["kept_state"], fresh["optimizer"]["decay_start"]), (None, None, 0))
        self.assertEqual(fresh.keys(), report.keys())
        self.assertEqual(fresh["optimizer"].keys(), report["optimizer"].keys())

    def test_unset_options_are_as_usual_for_the_models_network_and_optimizer(self):
        for words in [["--optimizer", "ftrl"], ["--hidden", "8"], ["--optimizer", "adam", "--lr", "0.5", "--batch-size", 99]]:
            self.begin(*words)
            report = self.go_on()
            usual = self.succeed_json("train", self.day2, "-o", self.folder / "usual", "--overwrite",
                                      *["--hidden", "8"] * ("--hidden" in words),
                                      *["--optimizer", words[1]] * ("--optimizer" in words))
            for key in ["kind", "learning_rate", "l1", "beta", "epsilon", "decay_steps"]:
                self.assertEqual(report["optimizer"][key], usual["optimizer"][key])
            # Training on the rows before has already applied the whole prior.
            self.assertEqual(report["optimizer"]["l2"], usual["optimizer"]["l2"] / 8)
            self.assertEqual((report["batch_size"], report["num_parameters"]), (usual["batch_size"], usual["num_parameters"]))
        self.assertIs(self.go_on("--optimizer", "sgd")["kept_state"], False)

    def test_the_summary_says_where_it_started(self):
        self.begin()
        words = ["train", self.day2, "--from", self.model, "-o", self.next, "--overwrite"]
        self.assertRegex(self.succeed(*words).decode(), r"\nstarted from +\S+1.model  \(and the state of its adagrad\)\n")
        self.assertRegex(self.succeed(*words, "--optimizer", "adam").decode(),
                         r"\nstarted from +\S+1.model  \(with a fresh state of adam\)\n")

    def test_the_start_is_judged_too(self):
        self.begin()
        before = self.loss(self.model)
        report = self.go_on("--valid", self.day3)
        self.assertEqual(report["start"]["valid_log_loss"], before)
        self.assertEqual(report["log_loss"], self.loss(self.next))
        self.assertEqual([epoch["epoch"] for epoch in report["epochs"]], [1])
        self.assertIsNone(self.go_on()["start"])
        words = ["train", self.day2, "--from", self.model, "-o", self.next, "--overwrite", "--valid", self.day3]
        text = self.succeed(*words).decode()
        self.assertRegex(text, rf"^as it starts  valid log loss {before:.6f}  AUC [0-9.]+\nepoch 1/1 ")
        self.assertNotIn("No epoch did better", text)
        text = self.succeed(*words, "--lr", "50").decode()
        self.assertRegex(text, rf"\nNo epoch did better on the rows of --valid than \S+1.model: log loss [0-9.]+, before {before:.6g}\.\n")
        # Judged once, not by each run.
        self.go_on("--valid", self.day3, "--epochs", 1, "--lr-decay", "none")
        resumed = self.go_on("--valid", self.day3, "--epochs", 2, "--lr-decay", "none", "--resume")
        self.assertIsNone(resumed["start"])
        self.assertEqual(resumed["start_valid_loss"], before)
        # The verdict does not depend on which run reached it either.
        words += ["--lr", "50", "--lr-decay", "none", "--epochs"]
        self.assertIn("No epoch did better", self.succeed(*words, 1).decode())
        words.remove("--overwrite")
        text = self.succeed(*words, 2, "--resume").decode()
        self.assertRegex(text, rf"\nNo epoch did better on the rows of --valid than \S+1.model: log loss [0-9.]+, before {before:.6g}\.\n")
        self.assertIn("The model is worse than a constant: log loss", text)

    def test_labels_in_other_units_are_reported(self):
        schema = self.folder / "prices.toml"
        schema.write_text('label = "price"\n[[feature]]\nfield = "a"\ncardinality = 9\n')
        for name, unit in [("dollars", 1), ("cents", 100)]:
            table = self.folder / f"{name}.tsv"
            table.write_text("price\ta\n" + "".join(f"{unit * (5 + i % 10)}\tv{i % 7}\n" for i in range(400)))
            self.succeed("transform", "--schema", schema, table, "-o", self.folder / name, "--quiet")
        model = self.folder / "prices.model"
        train = ["train", self.folder / "cents", "-o", self.folder / "cents.model", "--overwrite", "--from", model]
        self.succeed("train", self.folder / "dollars", "-o", model, "--loss", "mse", "--quiet")
        done = run(*train, "--json", "--quiet")
        self.assertEqual(done.returncode, 0)
        shift = json.loads(done.stdout)["label_shift"]
        self.assertAlmostEqual(shift["before"]["mean"], 9.5)
        self.assertAlmostEqual(shift["now"]["mean"], 950)
        self.assertAlmostEqual(shift["now"]["standard_deviation"], 100 * shift["before"]["standard_deviation"])
        self.assertIn(b"The labels have a mean of 950 and a deviation of 287.2; ", done.stderr)
        self.assertIsNone(self.succeed_json("train", self.folder / "dollars", "-o", self.folder / "again.model", "--from", model)["label_shift"])

    def test_what_the_model_has_settled_is_refused(self):
        for option, value in [("--hidden", "none"), ("--hidden", "8"), ("--activation", "relu"), ("--loss", "auto")]:
            message = self.fail_with(2, "train", "nowhere", "--from", self.model, "-o", self.next, option, value)
            self.assertIn(option, message)
            self.assertIn("1.model", message)
        self.assertIn("--from is empty", self.fail_with(2, "train", self.day2, "--from", "", "-o", self.next))

    def test_starts_that_cannot_be(self):
        train = ["train", self.day2, "-o", self.next, "--from"]
        self.assertIn("1.model", self.fail_with(1, *train, self.model))
        self.assertIn("day1: is a folder", self.fail_with(2, *train, self.day1))
        self.begin()
        content = self.model.read_bytes()
        for bad in [b"", b"clicked\n", content[:1000], content[:-1], content[:500] + b"x" + content[501:]]:
            self.assertIn("bad.model", self.fail_with(1, *train, self.write("bad.model", bad)))
        self.schema.write_text(SCHEMA.replace("cardinality = 100", "cardinality = 101"))
        self.encode("wide", table(100))
        message = self.fail_with(2, "train", self.folder / "wide", "-o", self.next, "--from", self.model)
        self.assertIn("1.model", message)
        self.assertIn("different schemas", message)
        self.assertFalse(self.next.exists())

    def test_the_same_line_with_resume_goes_on(self):
        self.begin()
        usual = ["--lr-decay", "none", "--batch-size", 512]
        self.go_on("--epochs", 2, *usual)
        straight = self.next.read_bytes()
        self.next.unlink()
        self.go_on("--epochs", 1, *usual, "--resume")
        report = self.go_on("--epochs", 2, *usual, "--resume")
        self.assertEqual(len(report["epochs"]), 1)
        self.assertEqual(self.next.read_bytes(), straight)
        message = self.fail_with(2, "train", self.day2, "-o", self.next, "--epochs", 3, "--lr-decay", "none", "--resume")
        self.assertIn("the model that it started from", message)

    def test_the_model_says_what_it_started_from_by_content(self):
        self.begin()
        self.go_on()
        first = self.next.read_bytes()
        self.model.rename(self.folder / "moved")
        self.model = self.folder / "moved"
        self.go_on()
        self.assertEqual(self.next.read_bytes(), first)
        self.assertIn(b'"from":"', first)


class Flights(FlightsCase):
    def test_devices_give_the_model_of_one(self):
        model = self.folder / "model"
        self.succeed("train", self.data, "-o", model, "--hidden", "6", "--quiet")
        losses = []
        before = json.loads(self.succeed("evaluate", model, self.test, "--json"))["log_loss"]
        for words in [[], ["--parallel", "data"], ["--parallel", "model"]]:
            devices = ["--devices", "cpu,cpu", *words] if words else []
            report = self.succeed_json("train", self.test, "--from", model, "-o", self.folder / "next", "--overwrite",
                                       "--valid", self.test, *devices)
            self.assertAlmostEqual(report["start"]["valid_log_loss"], before, 6)
            losses.append(json.loads(self.succeed("evaluate", self.folder / "next", self.test, "--json"))["log_loss"])
        for loss in losses[1:]:
            self.assertAlmostEqual(loss, losses[0], 5)


if __name__ == "__main__":
    unittest.main()
