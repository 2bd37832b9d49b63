"""The page about Python does what it says, from its first block to its last."""

import os
import pathlib
import re
import shutil
import tempfile
import unittest
import unittest.mock

try:
    import pandas
except ImportError:
    pandas = None
try:
    import sklearn
except ImportError:
    sklearn = None


@unittest.skipIf(pandas is None or sklearn is None, "needs pandas and scikit-learn")
class Docs(unittest.TestCase):
    def test_every_block_runs(self):
        blocks = re.findall(r"```python\n(.*?)```", pathlib.Path("docs/python.md").read_text(), re.DOTALL)
        self.assertGreater(len(blocks), 3)
        before = pathlib.Path.cwd()
        names = {"classifier": unittest.mock.Mock(), "print": lambda *words: None}
        with tempfile.TemporaryDirectory() as folder:
            for table in ("train", "test"):
                shutil.copy(f"examples/flights/{table}.tsv.gz", folder)
            os.chdir(folder)
            try:
                for block in blocks:
                    exec(compile(block, "docs/python.md", "exec"), names)
            finally:
                os.chdir(before)
        rows = len(names["frame"])
        self.assertEqual(names["x"].shape, (rows, names["encoder"].num_columns))
        self.assertEqual(names["y"].tolist(), names["frame"]["late"].astype(float).tolist())
        self.assertEqual(names["probabilities"].shape, (rows,))
        self.assertTrue(names["weights"].any())
        self.assertIn(str(names["encoder"].columns_of("route")), blocks[0])
        taught = sum(len(call.args[1]) for call in names["classifier"].partial_fit.call_args_list)
        self.assertEqual(taught, rows)


if __name__ == "__main__":
    unittest.main()
