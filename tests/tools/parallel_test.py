"""Training on several devices of one process, on the sample of real flights."""

import json
import unittest

from program import FlightsCase


class Parallel(FlightsCase):
    def train(self, name, *options):
        report = self.succeed_json("train", self.data, "-o", self.folder / name, "--overwrite", *options)
        return report, self.succeed_json("evaluate", self.folder / name, self.test)

    def test_data_and_model_parallel_have_the_test_loss_of_one_device(self):
        for hidden in ["none", "8"]:
            _, one = self.train("one", "--hidden", hidden)
            for mode in ["data", "model"]:
                report, three = self.train("three", "--hidden", hidden, "--devices", "cpu,cpu,cpu", "--parallel", mode)
                self.assertAlmostEqual(three["log_loss"], one["log_loss"], delta=1e-4)
                self.assertAlmostEqual(three["auc"], one["auc"], delta=1e-4)
                self.assertEqual(report["rows"], 20000)
                self.assertEqual(report["parallel"]["mode"], mode)

    def test_every_mix_of_towers_learns(self):
        for options in [["gradients"], ["parameters", "--mix-every", "4"], ["predictions"]]:
            report, judged = self.train("towers", "--devices", "cpu,cpu", "--parallel", "tower", "--batch-size", "128",
                                        "--mix", *options)
            self.assertLess(judged["log_loss"], 0.5)
            self.assertEqual(report["parallel"]["mix"], options[0])
            lines = self.succeed("predict", self.folder / "towers", self.test).decode().splitlines()
            self.assertEqual(len(lines), 5000)

    def test_the_report_shows_what_each_device_did(self):
        trace = self.folder / "trace.json"
        report, _ = self.train("m", "--devices", "cpu,cpu,cpu", "--profile", trace)
        devices = report["parallel"]["devices"]
        self.assertEqual([device["rank"] for device in devices], [0, 1, 2])
        for device in devices:
            shares = [device[activity + "_share"] for activity in ["read", "compute", "communicate", "wait"]]
            self.assertAlmostEqual(sum(shares), 1)
            self.assertGreater(device["bytes_sent"], 0)
        self.assertTrue(0 < report["parallel"]["efficiency"] <= 1)
        events = json.loads(trace.read_text())["traceEvents"]
        self.assertEqual({event["tid"] for event in events}, {0, 1, 2})
        self.assertEqual({event["name"] for event in events if event["ph"] == "X"},
                         {"read", "compute", "communicate", "wait"})
        human = self.succeed("train", self.data, "-o", self.folder / "m", "--overwrite", "--devices", "cpu,cpu,cpu").decode()
        self.assertIn("3, data parallel", human)

    def test_what_does_not_fit_is_refused(self):
        def refused(code, *options):
            return self.fail_with(code, "train", self.data, "-o", self.folder / "m", *options)

        self.assertIn("no CUDA device", refused(1, "--devices", "cuda"))
        self.assertIn("one kind", refused(2, "--devices", "cpu,cuda:0"))
        self.assertIn("is not a device", refused(2, "--devices", "gpu"))
        self.assertIn("--parallel tower", refused(2, "--mix", "parameters"))
        self.assertIn("--mix-every", refused(2, "--mix-every", "3", "--parallel", "tower"))
        self.assertIn("--mix-every", refused(2, "--mix-every", "0", "--parallel", "tower", "--mix", "parameters"))
        self.assertIn("--parallel model over", refused(2, "--hidden", "64", "--memory", "200K"))
        self.train("m", "--hidden", "64", "--memory", "200K", "--devices", "cpu,cpu,cpu,cpu", "--parallel", "model")


if __name__ == "__main__":
    unittest.main()
