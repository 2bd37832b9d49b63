"""A killed transform continues when started again, and the dataset is the same, byte for byte."""

import random
import subprocess
import time
import unittest

from program import SCHEMA, WIDEHASH, Case, contents, table

KILLS = 20


class Kill(Case):
    def setUp(self):
        super().setUp()
        self.schema = self.write("schema.toml", SCHEMA)
        # Some bad rows, so that the list of rejected rows is carried over as well.
        lines = table(30000).splitlines(True)
        for line in range(500, len(lines), 3000):
            lines[line] = "abc" + lines[line]
        self.data = self.write("day.tsv", "".join(lines))

    def command(self, output, threads):
        return [WIDEHASH, "transform", "--schema", str(self.schema), str(self.data), "-o", str(output), "--block-bytes",
                "4096", "--max-bad-rows", "100", "--quiet", "--threads", str(threads)]

    def test_killed_at_any_moment_the_dataset_is_the_same(self):
        straight = self.folder / "straight"
        start = time.monotonic()
        subprocess.run(self.command(straight, 2), check=True)
        duration = time.monotonic() - start
        expected = contents(straight)
        self.assertGreater(len(expected), 100)

        source = random.Random(20)
        killed = 0
        output = self.folder / "killed"
        while killed < KILLS:
            process = subprocess.Popen(self.command(output, source.choice([1, 2, 7])))
            time.sleep(source.uniform(0, duration / 4))
            process.kill()
            if process.wait() == 0:  # it finished before the signal: try again with another folder
                self.assertEqual(contents(output), expected)
                output = self.folder / ("killed%d" % killed)
            else:
                killed += 1
        subprocess.run(self.command(output, 2), check=True)
        self.assertEqual(contents(output), expected)
        self.succeed("verify", output)


if __name__ == "__main__":
    unittest.main()
