"""Export of datasets to the formats of other programs."""

from typing import Optional

from . import _core, reports
from .arguments import FilePath, Inputs, ProgressCallback, needed_path, paths_of, progress_callback, text, thread_count
from .errors import ConfigError


def export(dataset: Inputs, output: FilePath, *, format: str, threads: Optional[int] = None,
           progress: Optional[ProgressCallback] = None) -> reports.ExportReport:
    """Write one or more datasets for scipy, LIBLINEAR or Vowpal Wabbit.

    A matrix that fits in memory needs no file: a Dataset yields a Batch for each shard,
    and `Batch.csr()` is a scipy matrix.

    Parameters
    ----------
    dataset : path or list of paths
        Folder of a dataset, or several folders with the same schema, whose rows follow
        each other.
    output : path
        File to write. An existing file is replaced once the new one is complete.
    format : {"npz", "libsvm", "vw"}
        "npz" is for `scipy.sparse.load_npz`; the same file holds the labels as an array
        `targets`. If all labels are 0 or 1, "vw" writes them as -1 and 1; the other
        formats keep 0 and 1.
    threads : int, optional
        Number of threads; None for all. The result does not depend on it.
    progress : callable, optional
        Called with a Progress on the calling thread, at most 20 times a second. An
        exception that it raises ends the job.

    Returns
    -------
    ExportReport

    Raises
    ------
    DataError
        If a shard is damaged.
    ConfigError
        If the output is among the files that are read.
    FileError
        If a file cannot be read or written.
    KeyboardInterrupt
        On Ctrl-C. No file is left behind.
    """
    if text("format", format) not in ("npz", "libsvm", "vw"):
        raise ConfigError(f"export: format = {format!r}: must be 'npz', 'libsvm' or 'vw'")
    return reports.ExportReport(**_core.export_job(paths_of("dataset", dataset), needed_path("output", output), format,
                                                   thread_count(threads), progress_callback(progress)))
