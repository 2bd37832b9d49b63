"""Datasets in the words of other programs."""

from typing import Optional

from . import _core, reports
from .arguments import FilePath, Inputs, TellProgress, needed_path, paths_of, teller, text, thread_count
from .errors import ConfigError


def export(dataset: Inputs, output: FilePath, *, format: str, threads: Optional[int] = None,
           progress: Optional[TellProgress] = None) -> reports.ExportReport:
    """Writes datasets for scipy, LIBLINEAR or Vowpal Wabbit.

    dataset   folder that transform() or a DatasetWriter wrote, or several of one schema, whose rows follow each other
    output    file for it, replaced when the new one is whole
    format    "npz" (scipy.sparse.load_npz; the labels are the array `targets` of the same file), "libsvm", or "vw", which has the
              labels -1 and 1 where all labels are 0 or 1; the others have 0 and 1
    threads   to use; None for all. The result never depends on it
    progress  called with a Progress, by this thread, at most 20 times a second; what it raises ends the job

    A matrix that fits in memory needs no file: `Dataset` gives a Batch a shard, and Batch.csr() is scipy's. Raises DataError (a damaged
    shard), ConfigError (the output lies among what is read), FileError. Ctrl-C leaves no file."""
    if text("format", format) not in ("npz", "libsvm", "vw"):
        raise ConfigError(f"export: format = {format!r}: must be 'npz', 'libsvm' or 'vw'")
    return reports.ExportReport(**_core.export_job(paths_of("dataset", dataset), needed_path("output", output), format,
                                                   thread_count(threads), teller(progress)))
