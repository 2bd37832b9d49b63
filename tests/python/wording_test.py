"""Messages of the library, in the package's words."""

import inspect
import os
import pathlib
import re
import unittest

import numpy
import widehash
from widehash.wording import OPTIONS, in_python, kind_of

SOURCE_DIR = pathlib.Path(os.environ["WIDEHASH_SOURCE_DIR"])
JOBS = [widehash.inspect, widehash.fit, widehash.transform, widehash.verify, widehash.audit, widehash.compare, widehash.train, widehash.evaluate,
        widehash.predict, widehash.explain]
OF_OTHER_PROGRAMS = {"long"}  # of zstd


class Wording(unittest.TestCase):
    def test_options_are_the_arguments_that_they_are_here(self):
        for theirs, ours in [
            ("give --overwrite to replace them", "give overwrite=True to replace them"),
            ("the same command with --resume continues", "the same command with resume=True continues"),
            ("set bad rows aside with --max-bad-rows N", "set bad rows aside with max_bad_rows=N"),
            ("but --max-bad-rows allows only 3", "but max_bad_rows allows only 3"),
            ("--memory 100 is too little", "memory_bytes=100 is too little"),
            ("raise --memory or lower --block-bytes", "raise memory_bytes or lower block_bytes"),
            ("add --parallel tower --mix parameters", "add parallel='tower' mix='parameters'"),
            ("--devices cpu takes the memory", "devices='cpu' takes the memory"),
            ("--header no if this line is data", "header=False if this line is data"),
            ("give --delimiter, --quote or --header yes|no if", "give delimiter, quote or header=True or False if"),
            ("the model of --from /models/1 already has", "the model of from_model /models/1 already has"),
            ("same --tables", "same tables"),
            ("choose folds, for example --folds 1-9/10", "choose folds, for example folds='1-9/10'"),
            ("compress it with --long=27 or less", "compress it with --long=27 or less"),
            ("/data/my--tables/x is not there", "/data/my--tables/x is not there"),
            ("runs/--seed 7/x: cannot open", "runs/--seed 7/x: cannot open"),
            ("label 'y' is '--resume 5'", "label 'y' is '--resume 5'"),
        ]:
            self.assertEqual(in_python(theirs), ours)

    def test_a_wrong_argument_is_named_with_its_article(self):
        for wrong, words in [(None, "None"), ({}, "a dict"), (5, "an int"), (object(), "an object"), (numpy.uint8(5), "a uint8")]:
            self.assertEqual(kind_of(wrong), words)

    def test_every_option_that_the_library_names_is_known(self):
        named = set()
        for folder in ["src", "hashing", "sparse", "parallel"]:
            for path in (SOURCE_DIR / folder).rglob("*.cpp"):
                lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith("//")]
                texts = re.findall(r'"(?:[^"\\]|\\.)*"', "\n".join(lines))
                named.update(option for text in texts for option in re.findall(r"(?<![\w-])--([a-z][a-z0-9-]*)", text))
        self.assertLessEqual({"max-bad-rows", "resume", "overwrite"}, named)
        self.assertEqual(named - OPTIONS - OF_OTHER_PROGRAMS, set())

    def test_every_option_is_an_argument(self):
        arguments = {name for job in JOBS for name in inspect.signature(job).parameters}
        for option in OPTIONS:
            self.assertRegex(in_python(f"--{option}"), f"^({'|'.join(arguments)})(=True)?$")


if __name__ == "__main__":
    unittest.main()
