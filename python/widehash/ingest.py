"""Jobs on tables of text: look at one, encode it, collect its lookup tables, check what was written."""

from typing import Dict, List, Optional, Type, Union

from . import _core, reports
from .arguments import (FilePath, Inputs, SchemaLike, TellProgress, count, flag, fold_texts, input_list, needed_path,
                        path_bytes, paths_of, schema_or_path, teller, text, text_form, thread_count)
from .columns import Table, is_table, tables_of
from .record import with_records


def inspect(inputs: Union[Inputs, Table], *, label: Optional[str] = None, weight: Optional[str] = None, header: Optional[bool] = None,
            delimiter: Optional[str] = None, quote: Optional[str] = None, max_rows: int = 0, threads: Optional[int] = None,
            progress: Optional[TellProgress] = None) -> reports.InspectReport:
    """Looks at a table nobody has described yet, and proposes a schema.

    inputs     a path or glob of text, plain or compressed, or a list of them; or a table in memory as Encoder.encode() takes it,
               of which columns that have no text are left out with a note, and columns of lists are multi-valued
    label      field to predict
    weight     field of the rows' weights
    header     whether the first line of text names the fields; None: find out, by the label too. Without one they are
               f0, f1, ...
    delimiter  one ASCII character that stands between the fields of text; None: find out
    quote      one that stands around fields that hold delimiters, or "" where there is none; None: find out
    max_rows   look at so many rows; 0 for all
    threads    to use; None for all. The result never depends on it
    progress   called with a Progress, by this thread, at most 20 times a second; what it raises ends the job

    Returns what the fields hold, the schema (`report.schema`, ready for transform()), and its text with comments to guide
    editing (`report.toml`). Raises FileError, DataError (also for a header that names a field twice, and where most rows do
    not have the fields that were guessed) and ConfigError (label or weight not among the fields). Ctrl-C ends the job, as it ends all jobs that the main thread started."""
    label = "" if label is None else text("label", label)
    weight = "" if weight is None else text("weight", weight)
    given = label, weight, count("max_rows", max_rows), thread_count(threads), teller(progress)
    if is_table(inputs):
        for name, value in (("header", header), ("delimiter", delimiter), ("quote", quote)):
            if value is not None:
                raise TypeError(f"{name} = {value!r}: a table in memory has names and no text to be cut")
        found = _core.inspect_tables(tables_of(inputs, None), *given)
    else:
        has_header, between, around = text_form(header, delimiter, quote)
        found = _core.inspect_job(input_list(inputs), has_header, between, around, *given)
    return reports.InspectReport(**with_records(
        found, fields=[reports.FieldReport(**field) for field in found["fields"]]))


def fit(schema: SchemaLike, inputs: Inputs, output: FilePath, *, add: Optional[Inputs] = None, max_bad_rows: int = 0,
        allow_empty: bool = False, folds: Optional[str] = None, fold_by: Optional[str] = None,
        memory_bytes: int = _core.default_memory_bytes, overwrite: bool = False, threads: Optional[int] = None,
        progress: Optional[TellProgress] = None) -> reports.FitReport:
    """Collects lookup tables: every value of every feature, how often it was seen, and its code.

    schema        a widehash.Schema, or the path of one
    inputs        a path or glob of text, plain or compressed, or a list of them
    output        folder for the tables
    add           folder of tables of the same schema to count on from, or a list of them; inputs may be [] then, and
                  output one of the folders
    max_bad_rows  bad rows to leave out and list before giving up
    allow_empty   take an input without a byte for one of no rows, as in transform()
    folds         rows to take, as in transform()
    fold_by       field that deals rows to folds
    memory_bytes  for counting; more values go through the disk
    overwrite     replace tables that are there already. Those of the same inputs and schema are found done without it
    threads       to use; None for all. The tables never depend on it, nor on the memory
    progress      called with a Progress, by this thread, at most 20 times a second; what it raises ends the job

    Raises DataError (a bad row too many, a cut input), ConfigError (the folder holds something else), FileError. Ctrl-C
    leaves the folder as it was."""
    added = [] if add is None else paths_of("add", add)
    found = _core.fit_job(schema_or_path(schema), input_list(inputs, may_be_empty=bool(added)),
                          needed_path("output", output), added, count("max_bad_rows", max_bad_rows),
                          flag("allow_empty", allow_empty), *fold_texts(folds, fold_by), count("memory_bytes", memory_bytes), flag("overwrite", overwrite),
                          thread_count(threads), teller(progress))
    return reports.FitReport(**with_records(
        found, features=[reports.TableItem(**item) for item in found["features"]]))


def transform(schema: SchemaLike, inputs: Inputs, output: FilePath, *, tables: Optional[FilePath] = None,
              max_bad_rows: int = 0, allow_empty: bool = False, folds: Optional[str] = None,
              fold_by: Optional[str] = None, memory_bytes: int = _core.default_memory_bytes,
              block_bytes: int = _core.default_block_bytes, overwrite: bool = False, threads: Optional[int] = None,
              progress: Optional[TellProgress] = None) -> reports.TransformReport:
    """Encodes text to a dataset of shards.

    schema        a widehash.Schema, or the path of one (whose comments the dataset keeps)
    inputs        a path or glob of text, plain or compressed, or a list of them
    output        folder for the dataset
    tables        folder of the tables of fit(), which schemas with exact or standardize need
    max_bad_rows  bad rows to leave out and list before giving up
    allow_empty   take an input without a byte for one of no rows; without it, it is an error where the schema has a header
    folds         rows to take, by the hash of the row: "1-9/10" are nine folds of ten, "10/10" the one that is left; None
                  for all
    fold_by       field that deals rows to folds instead, all of a user to one
    memory_bytes  for the blocks at hand
    block_bytes   of input to a shard
    overwrite     replace a dataset, or the unfinished run of something else
    threads       to use; None for all. The bytes written never depend on it
    progress      called with a Progress, by this thread, at most 20 times a second; what it raises ends the job

    A call that was stopped, by Ctrl-C, by `progress` or by a crash, is carried on by the same call made again, and gives
    the same bytes. Raises ConfigError (the folder holds something else, tables missing), DataError (a bad row too many, a
    cut input), FileError, and CommError of several processes."""
    return reports.TransformReport(**_core.transform_job(
        schema_or_path(schema), input_list(inputs), needed_path("output", output), path_bytes("tables", tables),
        count("max_bad_rows", max_bad_rows), flag("allow_empty", allow_empty), *fold_texts(folds, fold_by),
        count("memory_bytes", memory_bytes), count("block_bytes", block_bytes),
        flag("overwrite", overwrite), thread_count(threads), teller(progress)))


def verify(path: FilePath, *, threads: Optional[int] = None,
           progress: Optional[TellProgress] = None) -> reports.Verified:
    """Reads a dataset, a folder of tables or a model again, and compares every checksum and count.

    progress  called with a Progress, by this thread, while a dataset or tables (whose bytes are features) are read; what it
              raises ends the job

    Returns what was counted. Raises DataError naming the first file that is wrong, FileError. A model is read to its end before
    Ctrl-C has its way."""
    found = _core.verify_job(needed_path("path", path), thread_count(threads), teller(progress))
    kinds: Dict[str, Type[reports.Verified]] = {
        "dataset": reports.VerifyReport, "tables": reports.VerifyTablesReport, "model": reports.VerifyModelReport}
    return kinds[found["kind"]](**found)


def audit(tables: FilePath, *, memory_bytes: int = _core.default_memory_bytes, threads: Optional[int] = None,
          progress: Optional[TellProgress] = None) -> List[reports.FeatureAudit]:
    """Tells what hashing costs each feature: collisions expected and seen, bias, load.

    tables        folder of the tables of fit(), or a dataset with tables in it
    memory_bytes  for sorting codes; the result does not depend on it
    progress      called with a Progress, by this thread, whose bytes are features; what it raises ends the job

    Returns a FeatureAudit of every feature that has a table, in the order of the schema. Raises FileError, DataError."""
    found = _core.audit_job(needed_path("tables", tables), count("memory_bytes", memory_bytes), thread_count(threads),
                            teller(progress))
    return [reports.FeatureAudit(**with_records(item, splits=[reports.SplitAudit(**split) for split in item["splits"]]))
            for item in found]


def compare(before: FilePath, now: FilePath, *, top: int = 3, threads: Optional[int] = None,
            progress: Optional[TellProgress] = None) -> List[Union[reports.FeatureChange, reports.NumberChange]]:
    """Tells what has changed between two sets of tables of one schema: values never seen, shares, means.

    before        folder of the tables of fit(), or a dataset with tables in it; now: further ones
    top           so many values of each list and feature
    progress      called with a Progress, by this thread, whose bytes are features; what it raises ends the job

    Returns a FeatureChange of every feature that has a table, and a NumberChange of every numeric one, in the order of the schema. Raises
    FileError, DataError, and ConfigError where the schemas differ."""
    found = _core.compare_job(needed_path("before", before), needed_path("now", now), count("top", top), thread_count(threads),
                              teller(progress))
    return [reports.NumberChange(**with_records(item, before=reports.Moments(**item["before"]), now=reports.Moments(**item["now"])))
            if "mean_shift" in item else
            reports.FeatureChange(**with_records(item, **{name: [reports.ValueChange(**one) for one in item[name]]
                                                          for name in ("unseen", "most_changed")}))
            for item in found]
