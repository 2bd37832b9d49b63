"""Checks the annotations of the package against its own code, the compiled module and users' programs."""

import ast
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import widehash
from widehash import _core

try:
    import mypy  # noqa: F401
except ImportError:
    mypy = None

SOURCE_DIR = pathlib.Path(os.environ["WIDEHASH_SOURCE_DIR"])
CONFIG = SOURCE_DIR / "pyproject.toml"
PROGRAM = SOURCE_DIR / "tests/python/annotated_program.py"
PACKAGE = pathlib.Path(widehash.__file__).resolve().parent

# What pybind11 adds to its classes: a metaclass, pickling methods, and an
# __init__ that refuses where only the library makes objects.
OF_PYBIND = r"widehash\._core\.[A-Z]\w+(\.(__getstate__|__setstate__|__init__))?"


def check(*arguments):
    """Runs a tool of mypy. Returns its exit status and output."""
    place = str(PACKAGE.parent)
    with tempfile.TemporaryDirectory() as cache:
        run = subprocess.run([sys.executable, "-m", *arguments], cwd=cache, capture_output=True, text=True,
                             env=os.environ | {"PYTHONPATH": place, "MYPYPATH": place, "MYPY_CACHE_DIR": cache})
    return run.returncode, run.stdout + run.stderr


@unittest.skipIf(mypy is None, "needs mypy")
class Checked(unittest.TestCase):
    def test_the_package_keeps_its_annotations(self):
        status, said = check("mypy", "--config-file", str(CONFIG), "-p", "widehash")
        self.assertEqual(status, 0, said)

    def test_the_stub_has_the_names_of_the_compiled_module(self):
        with tempfile.NamedTemporaryFile("w", suffix=".allowed") as allowed:
            allowed.write(OF_PYBIND)
            allowed.flush()
            status, said = check("mypy.stubtest", "--mypy-config-file", str(CONFIG), "--ignore-unused-allowlist", "--allowlist",
                                 allowed.name, "widehash._core")
        self.assertEqual(status, 0, said)

    def test_mistakes_of_a_program_are_found_and_nothing_else(self):
        status, said = check("mypy", "--strict", "--follow-imports", "silent", "--config-file", "", str(PROGRAM))
        found = {int(line) for line in re.findall(r"\.py:(\d+): error: ", said)}
        expected = {number for number, line in enumerate(PROGRAM.read_text().splitlines(), 1) if "# refused: " in line}
        self.assertEqual(found, expected, said)
        self.assertEqual(status, 1, said)


class Stub(unittest.TestCase):
    def test_functions_have_as_many_arguments_as_the_compiled_ones(self):
        """Checkers do not see the arguments of pybind11's functions; the first line of their docstrings has them."""
        compared = 0
        for owner, function in functions(ast.parse((PACKAGE / "_core.pyi").read_text())):
            compiled = getattr(getattr(_core, owner) if owner else _core, function.name)
            signature = next(line for line in compiled.__doc__.splitlines() if re.match(r"(\d+\. )?\w+\((.+: .*)?\)", line))
            ours = function.args.posonlyargs + function.args.args
            theirs = re.findall(r"[(,] ?(\w+): ", signature)
            self.assertEqual(len(ours), len(theirs), f"{owner}.{function.name}: {signature}")
            compared += 1
        self.assertGreater(compared, 25)


def functions(module):
    """(class or "", function) for everything that pybind11 made, except properties."""
    for item in module.body:
        if isinstance(item, ast.FunctionDef):
            yield "", item
        elif isinstance(item, ast.ClassDef):
            for method in item.body:
                if isinstance(method, ast.FunctionDef) and not method.decorator_list and method.name not in ("__eq__", "__hash__"):
                    yield item.name, method


if __name__ == "__main__":
    unittest.main()
