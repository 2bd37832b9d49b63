"""The cost model: its report of constants, and predictions that can be worked out by hand."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["WIDEHASH_SOURCE_DIR"]
SCRIPT = os.path.join(SOURCE, "bench", "gpu", "cost_model.py")

sys.path.insert(0, os.path.dirname(SCRIPT))  # as for a script that is run there
spec = importlib.util.spec_from_file_location("cost_model", SCRIPT)
cost_model = importlib.util.module_from_spec(spec)
sys.modules["cost_model"] = cost_model  # dataclasses look for it there
spec.loader.exec_module(cost_model)
Work, World, predict = cost_model.Work, cost_model.World, cost_model.predict

# So fast that nothing takes time; each test slows down one thing.
FREE = {name: 1e30 for name in cost_model.CONSTANTS} | {
    name: 0.0 for name in ("link_latency", "network_latency", "launch", "issue", "host_wait")}


class Constants(unittest.TestCase):
    def test_without_a_run_all_are_placeholders(self):
        values, measured = cost_model.constants_of(None)
        self.assertEqual(measured, set())
        self.assertEqual(values["bus"], cost_model.CONSTANTS["bus"][3])

    def test_the_best_repetition_is_what_was_measured(self):
        def entry(rate, seconds, **more):
            return {"name": "limit/bus_copy/manual_time/repeats:3", "real_time": seconds, "bytes_per_second": rate, **more}

        values, measured = cost_model.constants_of({"benchmarks": [
            entry(1e9, 2), entry(3e9, 1), entry(9e9, 0.1, run_type="aggregate"), entry(9e9, 0.1, error_occurred=True)]})
        self.assertEqual((measured, values["bus"]), ({"bus"}, 3e9))

    def test_times_are_in_seconds(self):
        values, _ = cost_model.constants_of({"benchmarks": [{"name": "nccl/latency", "real_time": 7.0, "time_unit": "us"}]})
        self.assertAlmostEqual(values["link_latency"], 7e-6)

    def test_every_benchmark_it_waits_for_on_one_device_is_that_of_device_bench(self):
        with open(os.path.join(SOURCE, "bench", "gpu", "device_bench.cpp"), encoding="utf-8") as file:
            program = file.read()
        for name in ("memory", "cache", "shared_adds", "bus", "flops", "launch", "host_wait"):
            self.assertIn('("%s"' % cost_model.CONSTANTS[name][0], program)


class Predictions(unittest.TestCase):
    def test_the_bus_alone_limits_rows_from_the_host(self):
        rate, limit = predict(FREE | {"bus": 2080.0}, Work(rows=100, slots=104, code_bytes=208), World(1), "data", "host")
        self.assertAlmostEqual(rate, 10.0)  # at 208 bytes each
        self.assertEqual(limit, "bus")

    def test_the_host_that_queues_kernels_limits_a_short_step(self):
        rate, limit = predict(FREE | {"launch": 0.5, "issue": 2.0}, Work(rows=12), World(1), "data")
        self.assertAlmostEqual(rate, 2.0)  # three kernels take 2 s each on the host and 1.5 s on the device
        self.assertEqual(limit, "issue")

    def test_additions_in_shared_memory_limit_the_backward_pass(self):
        rate, limit = predict(FREE | {"shared_adds": 104.0 * 32}, Work(rows=10, units=32), World(1), "data")
        self.assertAlmostEqual(rate, 1.0)
        self.assertEqual(limit, "backward")

    def test_one_device_is_the_same_in_every_strategy(self):
        values, _ = cost_model.constants_of(None)
        rates = {predict(values, Work(units=32), World(1), strategy)[0] for strategy in cost_model.STRATEGIES}
        self.assertEqual(len(rates), 1)

    def test_the_host_is_waited_for_at_the_mean_of_towers_alone(self):
        c = FREE | {"host_wait": 1.0}
        self.assertGreater(predict(c, Work(rows=10), World(1), "data")[0], 1e20)
        self.assertGreater(predict(c, Work(rows=10), World(2), "data")[0], 1e20)
        self.assertAlmostEqual(predict(c, Work(rows=10, mix_every=4), World(2), "tower, parameters")[0], 80.0)

    def test_without_communication_devices_add_up(self):
        slow = FREE | {"cache": 1e6}
        one, _ = predict(slow, Work(rows=800), World(1), "data")
        for strategy in cost_model.STRATEGIES:
            self.assertAlmostEqual(predict(slow, Work(rows=800), World(8), strategy)[0] / one, 8.0)

    def test_an_all_reduce_moves_every_byte_twice_less_a_rank_s_own(self):
        c = FREE | {"link": 100.0, "network": 10.0}
        self.assertAlmostEqual(cost_model.all_reduce_seconds(c, 400, World(4)), 2 * 300 / 100)
        # Two hosts: half of the array stays on a host, and in the flat way each of its GPUs sends the other half.
        self.assertAlmostEqual(cost_model.all_reduce_seconds(c, 400, World(4, 2)), 2 * 4 * 200 / 10)
        self.assertEqual(cost_model.all_reduce_seconds(c, 400, World(1)), 0)

    def test_large_arrays_cross_between_hosts_once_a_host(self):
        c = FREE | {"link": 100.0, "network": 10.0}
        large = 4 * cost_model.BY_HOSTS_BYTES
        by_hosts = 2 * (large * 3 / 4 / 100 + large / 2 / 10)
        self.assertAlmostEqual(cost_model.all_reduce_seconds(c, large, World(4, 2)) / by_hosts, 1)
        # With three ranks per host, the sum of a host is not a term of the total; a single rank has no other to add up with.
        self.assertAlmostEqual(cost_model.all_reduce_seconds(c, large, World(3, 2)) / (2 * 3 * large / 2 / 10), 1)
        self.assertAlmostEqual(cost_model.all_reduce_seconds(c, large, World(1, 2)) / (2 * large / 2 / 10), 1)

    def test_the_program_s_threshold_is_the_model_s(self):
        with open(os.path.join(SOURCE, "parallel", "cuda", "nccl_link.cpp"), encoding="utf-8") as file:
            self.assertIn("by_hosts_device_bytes = std::size_t{1} << %d;" % (cost_model.BY_HOSTS_BYTES.bit_length() - 1), file.read())

    def test_towers_that_mix_rarely_speak_rarely(self):
        c = FREE | {"link": 1.0}
        work = Work(columns=10, units=1, states=1, mix_every=10)
        every, _ = predict(c, work, World(2), "tower, gradients")
        rarely, _ = predict(c, work, World(2), "tower, parameters")
        self.assertAlmostEqual(rarely / every, 10 / 2)  # with one state per parameter


class Program(unittest.TestCase):
    def run_on(self, report):
        with tempfile.TemporaryDirectory() as folder:
            if report is not None:
                with open(os.path.join(folder, "device_bench-limit.json"), "w", encoding="utf-8") as file:
                    json.dump(report, file)
            return subprocess.run([sys.executable, "-B", SCRIPT, folder], capture_output=True, text=True, check=True).stdout

    def test_placeholders_are_marked(self):
        text = self.run_on(None)
        self.assertEqual(text.count("NOT MEASURED"), len(cost_model.CONSTANTS))
        self.assertIn("A prediction, not a measurement", text)

    def test_what_was_measured_is_marked_too(self):
        text = self.run_on({"benchmarks": [{"name": "limit/memory_copy/manual_time", "real_time": 1, "bytes_per_second": 2e12}]})
        self.assertIn("measured: limit/memory_copy", text)
        self.assertEqual(text.count("NOT MEASURED"), len(cost_model.CONSTANTS) - 1)


if __name__ == "__main__":
    unittest.main()
