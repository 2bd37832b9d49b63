"""What the jobs of the package take, brought to what the compiled module takes."""

import operator
import os

from ._core import Schema
from .errors import ConfigError
from .reports import Progress

MAX_COUNT = 2**64 - 1
MAX_THREADS = 4096  # more would take minutes to start


def path_bytes(path):
    """A str, bytes or os.PathLike; "" for None."""
    return b"" if path is None else os.fsencode(path)


def input_list(inputs):
    """One path or glob, or several."""
    if isinstance(inputs, (str, bytes, os.PathLike)):
        inputs = [inputs]
    paths = [path_bytes(path) for path in inputs]
    if not paths:
        raise ConfigError("inputs: there are none; name a file or a glob at least")
    return paths


def schema_or_path(schema):
    return schema if isinstance(schema, Schema) else path_bytes(schema)


def count(name, value, largest=MAX_COUNT):
    """A whole number from 0 on."""
    number = operator.index(value)
    if not 0 <= number <= largest:
        raise ConfigError(f"{name} = {number}: must be a whole number from 0 to {largest}")
    return number


def thread_count(threads):
    return 0 if threads is None else count("threads", threads, MAX_THREADS)


def teller(progress):
    """Calls `progress` with a Progress."""
    return None if progress is None else lambda *counts: progress(Progress(*counts))
