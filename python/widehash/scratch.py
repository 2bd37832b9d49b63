"""Folders for files that are written and read back within one call."""

import contextlib
import tempfile
from typing import Iterator

from . import _core


@contextlib.contextmanager
def scratch_folder() -> Iterator[str]:
    """Yield a temporary folder that is removed afterwards.

    Nothing in it is flushed to disk, because small fits would spend most of their time
    waiting for that.
    """
    with tempfile.TemporaryDirectory(prefix="widehash-") as folder:
        unflushed = _core.ScratchFolder(folder)
        try:
            yield folder
        finally:
            del unflushed
