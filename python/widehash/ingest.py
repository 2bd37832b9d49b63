"""Jobs on tables of text: inspect them, encode them, build their lookup tables, verify the results."""

from typing import Dict, List, Optional, Type, Union

from . import _core, reports
from .arguments import (FilePath, Inputs, SchemaLike, ProgressCallback, count, flag, fold_texts, input_list, needed_path,
                        path_bytes, paths_of, schema_or_path, progress_callback, text, text_form, thread_count)
from .columns import Table, is_table, tables_of
from .record import with_records


def inspect(inputs: Union[Inputs, Table], *, label: Optional[str] = None, weight: Optional[str] = None, header: Optional[bool] = None,
            delimiter: Optional[str] = None, quote: Optional[str] = None, max_rows: int = 0, threads: Optional[int] = None,
            progress: Optional[ProgressCallback] = None) -> reports.InspectReport:
    """Inspect a table that no schema describes yet, and propose a schema.

    Parameters
    ----------
    inputs : path, glob, list of these, or table
        Text files, plain or compressed; or a table in memory, as `Encoder.encode()`
        takes it. Columns of such a table that have no text are left out with a note,
        and columns of lists become multi-valued features.
    label : str, optional
        Field to predict.
    weight : str, optional
        Field with the row weights.
    header : bool, optional
        Whether the first line of text names the fields. None detects it, with the help
        of `label`. Without a header the fields are named f0, f1, ...
    delimiter : str, optional
        The ASCII character between the fields of text. None detects it.
    quote : str, optional
        The ASCII character around fields that contain delimiters, or "" if there is
        none. None detects it.
    max_rows : int, default 0
        Number of rows to read; 0 for all.
    threads : int, optional
        Number of threads; None for all. The result does not depend on it.
    progress : callable, optional
        Called with a Progress on the calling thread, at most 20 times a second. An
        exception that it raises ends the job.

    Returns
    -------
    InspectReport
        What the fields hold, the proposed schema (`schema`, ready for `transform()`),
        and its text with comments to guide editing (`toml`).

    Raises
    ------
    FileError
        If a file cannot be read.
    DataError
        If the header names a field twice, or if most rows do not have the detected
        number of fields.
    ConfigError
        If the label or the weight is not among the fields.
    KeyboardInterrupt
        On Ctrl-C, which ends any job started by the main thread.
    """
    label = "" if label is None else text("label", label)
    weight = "" if weight is None else text("weight", weight)
    given = label, weight, count("max_rows", max_rows), thread_count(threads), progress_callback(progress)
    if is_table(inputs):
        for name, value in (("header", header), ("delimiter", delimiter), ("quote", quote)):
            if value is not None:
                raise TypeError(f"{name} = {value!r}: only for text; a table in memory has names already")
        found = _core.inspect_tables(tables_of(inputs, None), *given)
    else:
        has_header, between, around = text_form(header, delimiter, quote)
        found = _core.inspect_job(input_list(inputs), has_header, between, around, *given)
    return reports.InspectReport(**with_records(
        found, fields=[reports.FieldReport(**field) for field in found["fields"]]))


def fit(schema: SchemaLike, inputs: Inputs, output: FilePath, *, add: Optional[Inputs] = None, max_bad_rows: int = 0,
        allow_empty: bool = False, folds: Optional[str] = None, fold_by: Optional[str] = None,
        memory_bytes: int = _core.default_memory_bytes, overwrite: bool = False, threads: Optional[int] = None,
        progress: Optional[ProgressCallback] = None) -> reports.FitReport:
    """Build lookup tables: every value of every feature, its count and its code.

    Parameters
    ----------
    schema : Schema or path
        The schema, or the path of its file.
    inputs : path, glob, or list of these
        Text files, plain or compressed. May be [] if `add` is given.
    output : path
        Folder for the tables. May be one of the folders in `add`.
    add : path or list of paths, optional
        Folders of tables with the same schema. Counting continues from theirs.
    max_bad_rows : int, default 0
        Number of bad rows to leave out and list before giving up.
    allow_empty : bool, default False
        Treat an input of zero bytes as one without rows, as in `transform()`.
    folds : str, optional
        The folds whose rows are counted, as in `transform()`.
    fold_by : str, optional
        Field that assigns rows to folds, as in `transform()`.
    memory_bytes : int
        Memory for counting, in bytes. If the values need more, they are spilled to
        disk.
    overwrite : bool, default False
        Replace existing tables. Tables of the same inputs and schema do not need it:
        they count as complete.
    threads : int, optional
        Number of threads; None for all. The tables depend neither on it nor on
        `memory_bytes`.
    progress : callable, optional
        Called with a Progress on the calling thread, at most 20 times a second. An
        exception that it raises ends the job.

    Returns
    -------
    FitReport

    Raises
    ------
    DataError
        If there are too many bad rows, or if an input is truncated.
    ConfigError
        If the folder holds something else.
    FileError
        If a file cannot be read or written.
    KeyboardInterrupt
        On Ctrl-C. The folder stays as it was.
    """
    added = [] if add is None else paths_of("add", add)
    found = _core.fit_job(schema_or_path(schema), input_list(inputs, may_be_empty=bool(added)),
                          needed_path("output", output), added, count("max_bad_rows", max_bad_rows),
                          flag("allow_empty", allow_empty), *fold_texts(folds, fold_by), count("memory_bytes", memory_bytes), flag("overwrite", overwrite),
                          thread_count(threads), progress_callback(progress))
    return reports.FitReport(**with_records(
        found, features=[reports.TableItem(**item) for item in found["features"]]))


def transform(schema: SchemaLike, inputs: Inputs, output: FilePath, *, tables: Optional[FilePath] = None,
              max_bad_rows: int = 0, allow_empty: bool = False, folds: Optional[str] = None,
              fold_by: Optional[str] = None, memory_bytes: int = _core.default_memory_bytes,
              block_bytes: int = _core.default_block_bytes, overwrite: bool = False, threads: Optional[int] = None,
              progress: Optional[ProgressCallback] = None) -> reports.TransformReport:
    """Encode text as a dataset of shards.

    A run that was stopped by Ctrl-C, by `progress` or by a crash is continued by the
    same call, and writes the same bytes as an uninterrupted one.

    Parameters
    ----------
    schema : Schema or path
        The schema, or the path of its file, whose comments the dataset keeps.
    inputs : path, glob, or list of these
        Text files, plain or compressed.
    output : path
        Folder for the dataset.
    tables : path, optional
        Folder of the tables from `fit()`. Required for schemas with `exact` or
        `standardize`.
    max_bad_rows : int, default 0
        Number of bad rows to leave out and list before giving up.
    allow_empty : bool, default False
        Treat an input of zero bytes as one without rows. By default such an input is an
        error if the schema has a header.
    folds : str, optional
        The folds whose rows are encoded. The hash of a row determines its fold:
        "1-9/10" takes nine of ten folds, and "10/10" the remaining one. None takes all
        rows.
    fold_by : str, optional
        Field whose value determines the fold instead, so that all rows of a user are in
        one fold.
    memory_bytes : int
        Memory for the blocks in progress, in bytes.
    block_bytes : int
        Bytes of input encoded into one shard.
    overwrite : bool, default False
        Replace a dataset, or the unfinished run of something else.
    threads : int, optional
        Number of threads; None for all. The bytes written do not depend on it.
    progress : callable, optional
        Called with a Progress on the calling thread, at most 20 times a second. An
        exception that it raises ends the job.

    Returns
    -------
    TransformReport

    Raises
    ------
    ConfigError
        If the folder holds something else, or if tables are missing.
    DataError
        If there are too many bad rows, or if an input is truncated.
    FileError
        If a file cannot be read or written.
    CommError
        If one of several processes failed.
    """
    return reports.TransformReport(**_core.transform_job(
        schema_or_path(schema), input_list(inputs), needed_path("output", output), path_bytes("tables", tables),
        count("max_bad_rows", max_bad_rows), flag("allow_empty", allow_empty), *fold_texts(folds, fold_by),
        count("memory_bytes", memory_bytes), count("block_bytes", block_bytes),
        flag("overwrite", overwrite), thread_count(threads), progress_callback(progress)))


def verify(path: FilePath, *, threads: Optional[int] = None,
           progress: Optional[ProgressCallback] = None) -> reports.Verified:
    """Reread a dataset, a folder of tables or a model, and compare every checksum and count.

    Parameters
    ----------
    path : path
        The dataset, folder of tables, or model.
    threads : int, optional
        Number of threads; None for all.
    progress : callable, optional
        Called with a Progress on the calling thread while a dataset or tables are read;
        for tables, its bytes count features. An exception that it raises ends the job.

    Returns
    -------
    VerifyReport, VerifyTablesReport or VerifyModelReport
        What was counted.

    Raises
    ------
    DataError
        Names the first file that is wrong.
    FileError
        If a file cannot be read.
    KeyboardInterrupt
        On Ctrl-C. A model is read to its end first.
    """
    found = _core.verify_job(needed_path("path", path), thread_count(threads), progress_callback(progress))
    kinds: Dict[str, Type[reports.Verified]] = {
        "dataset": reports.VerifyReport, "tables": reports.VerifyTablesReport, "model": reports.VerifyModelReport}
    return kinds[found["kind"]](**found)


def audit(tables: FilePath, *, memory_bytes: int = _core.default_memory_bytes, threads: Optional[int] = None,
          progress: Optional[ProgressCallback] = None) -> List[reports.FeatureAudit]:
    """Measure what hashing costs each feature: expected and actual collisions, bias, load.

    Parameters
    ----------
    tables : path
        Folder of the tables from `fit()`, or a dataset that contains tables.
    memory_bytes : int
        Memory for sorting codes, in bytes. The result does not depend on it.
    threads : int, optional
        Number of threads; None for all.
    progress : callable, optional
        Called with a Progress on the calling thread; its bytes count features. An
        exception that it raises ends the job.

    Returns
    -------
    list of FeatureAudit
        One for each feature that has a table, in the order of the schema.

    Raises
    ------
    FileError
        If a file cannot be read.
    DataError
        If a file is damaged.
    """
    found = _core.audit_job(needed_path("tables", tables), count("memory_bytes", memory_bytes), thread_count(threads),
                            progress_callback(progress))
    return [reports.FeatureAudit(**with_records(item, splits=[reports.SplitAudit(**split) for split in item["splits"]]))
            for item in found]


def compare(before: FilePath, now: FilePath, *, top: int = 3, threads: Optional[int] = None,
            progress: Optional[ProgressCallback] = None) -> List[Union[reports.FeatureChange, reports.NumberChange]]:
    """Compare two sets of tables with the same schema: unseen values, shares, means.

    Parameters
    ----------
    before : path
        Folder of the tables from `fit()`, or a dataset that contains tables.
    now : path
        Tables to compare with `before`.
    top : int, default 3
        Number of values in each list of each feature.
    threads : int, optional
        Number of threads; None for all.
    progress : callable, optional
        Called with a Progress on the calling thread; its bytes count features. An
        exception that it raises ends the job.

    Returns
    -------
    list of FeatureChange and NumberChange
        A FeatureChange for each feature that has a table and a NumberChange for each
        numeric feature, in the order of the schema.

    Raises
    ------
    FileError
        If a file cannot be read.
    DataError
        If a file is damaged.
    ConfigError
        If the schemas differ.
    """
    found = _core.compare_job(needed_path("before", before), needed_path("now", now), count("top", top), thread_count(threads),
                              progress_callback(progress))
    return [reports.NumberChange(**with_records(item, before=reports.Moments(**item["before"]), now=reports.Moments(**item["now"])))
            if "mean_shift" in item else
            reports.FeatureChange(**with_records(item, **{name: [reports.ValueChange(**one) for one in item[name]]
                                                          for name in ("unseen", "most_changed")}))
            for item in found]
