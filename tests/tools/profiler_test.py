"""What NVIDIA's profilers see of a training: ranges of NVTX, recorded here by a library."""

import os
import unittest

from program import FlightsCase, run

RECORDER = os.environ["WIDEHASH_NVTX_RECORDER"]


class Profiler(FlightsCase):
    def setUp(self):
        super().setUp()
        self.log = self.folder / "ranges"
        os.environ.update(NVTX_INJECTION64_PATH=RECORDER, WIDEHASH_NVTX_LOG=str(self.log))
        self.addCleanup(lambda: [os.environ.pop(name) for name in ("NVTX_INJECTION64_PATH", "WIDEHASH_NVTX_LOG")])

    def test_every_activity_is_a_range_that_ends(self):
        trained = run("train", self.data, "-o", self.folder / "m", "--devices", "cpu,cpu", "--quiet")
        self.assertEqual(trained.returncode, 0, trained.stderr.decode())
        lines = [line.split() for line in self.log.read_text().splitlines()]
        self.assertEqual(lines[0], ["domain", "widehash"])
        begun = {line[1]: line[2] for line in lines if line[0] == "begin"}
        self.assertEqual(set(begun.values()), {"read", "compute", "communicate", "wait"})
        self.assertEqual(sorted(line[1] for line in lines if line[0] == "end"), sorted(begun))
        # Devices may take turns or overlap, but each has at most one open range.
        open_ranges = 0
        for line in lines[1:]:
            open_ranges += 1 if line[0] == "begin" else -1
            self.assertLessEqual(open_ranges, 2)


if __name__ == "__main__":
    unittest.main()
