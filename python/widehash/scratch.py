"""Folders for what is made and read again within one call."""

import contextlib
import tempfile
from typing import Iterator

from . import _core


@contextlib.contextmanager
def scratch_folder() -> Iterator[str]:
    """One that is gone afterwards. Nothing in it is flushed to the disk, for which small fits would wait most of their time."""
    with tempfile.TemporaryDirectory(prefix="widehash-") as folder:
        unflushed = _core.ScratchFolder(folder)
        try:
            yield folder
        finally:
            del unflushed
