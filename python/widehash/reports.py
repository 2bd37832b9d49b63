"""The reports that the jobs return: read-only records with the key names of `widehash COMMAND --json`.

`to_dict()` of a report gives plain values that `json.dumps()` accepts. A value that the
task or its rows do not define is None. Text from the data that is not UTF-8 keeps its
bytes, as Python's file names do (surrogateescape). Row counts exclude rejected rows
unless they say otherwise.

The total time of a job (`seconds` and `rows_per_second` of `--json`) is for the caller
to measure. The reports of a training are in training_reports.py.
"""

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional, Union

from ._core import Schema
from .record import Record, plain


@dataclass(frozen=True)
class Progress(Record):
    """How far a job has come."""

    #: rows done so far; for train(), over all epochs; for audit(), compare() and verify() of
    #: tables, distinct values
    rows: int
    #: bytes of the input on disk or of a dataset's shards; rows for train(); features if `rows`
    #: counts distinct values
    bytes_done: int
    bytes_total: int  #: 0 if unknown

    @property
    def fraction(self) -> Optional[float]:
        """Share of the work that is done, from 0 to 1; None if unknown."""
        return min(self.bytes_done / self.bytes_total, 1.0) if self.bytes_total else None


@dataclass(frozen=True)
class FieldReport(Record):
    """What `inspect()` found in one field."""

    name: str  #: "" if the header has no name for the field, which is then left out
    #: type of all values that are not missing; "empty" if there are none
    type: Literal["integer", "number", "time", "text", "empty"]
    #: rows with an empty value; for integers, numbers and times, also with one of the schema's
    #: missing_values
    missing: int
    distinct: float  #: distinct values; an estimate unless `distinct_is_exact`
    distinct_is_exact: bool
    longest_bytes: int
    #: for text whose values are numbers with few exceptions: the exceptions, at most eight
    texts_among_numbers: List[str]
    other_writing: Optional[str]  #: for text that is numbers or times in another notation: describes it
    minimum: Optional[float]  #: for integers and numbers, as is maximum
    maximum: Optional[float]
    #: share of the label's entropy that the field explains by itself; None without a label, and if
    #: too few rows have another label than most
    label_explained: Optional[float]
    examples: List[str]  #: the first few distinct values
    is_nearly_unique: bool  #: whether nearly every one of at least a thousand values is different


@dataclass(frozen=True)
class InspectReport(Record):
    """What `inspect()` found, and a schema to start from."""

    rows: int
    #: rows with another number of fields, or that repeat the header; 0 for a table in memory
    rejected_rows: int
    header: bool  #: whether the first line names the fields
    delimiter: str  #: between fields; for a table in memory, the default of the schema, a tab
    quote: str  #: around fields; "" if there is none
    cardinality_standard_error: float  #: relative standard error of the estimates of distinct values
    fields: List[FieldReport]
    notes: List[str]  #: choices that may be changed, one sentence each
    left_out: List[str]  #: columns of a table in memory whose type is no feature, one sentence each
    schema: Schema  #: ready to use
    toml: str  #: the schema as TOML, with comments to guide editing

    def to_dict(self) -> Dict[str, Any]:
        """Return the fields as plain values. `schema` is the TOML with comments, as in `inspect --json`."""
        items = {name: plain(value) for name, value in vars(self).items() if name != "toml"}
        return items | {"schema": self.toml}


@dataclass(frozen=True)
class TableItem(Record):
    """What `fit()` found for one feature."""

    feature: str
    num_values: int  #: number of distinct values
    file: Optional[str]  #: the lookup table, in the folder of the tables; None if the feature has none
    mean: Optional[float]  #: for a numeric feature, as is standard_deviation
    standard_deviation: Optional[float]


@dataclass(frozen=True)
class FitReport(Record):
    """What `fit()` did."""

    rows: int  #: rows counted in the tables
    added_rows: int  #: of these, rows from added tables
    skipped_inputs: int  #: inputs that the added tables already count, or that are empty
    #: inputs that the added tables count with other contents; they are counted again as they are
    #: now
    changed_inputs: List[str]
    #: inputs with the same bytes as one that the added tables count under another path
    copied_inputs: List[str]
    rejected_rows: int  #: bad rows that were left out
    other_fold_rows: int  #: good rows in folds that were not requested
    input_bytes: int  #: as on disk
    text_bytes: int  #: decompressed
    already_complete: bool  #: tables of the same inputs and schema existed, and nothing was written
    spilled_runs: int  #: how often counts were spilled to disk
    rejected_file: Optional[str]  #: lists the bad rows
    tables_fingerprint: str  #: identifies the contents of all tables
    features: List[TableItem]
    is_main: bool  #: for several processes, whether this is the one with the complete report


@dataclass(frozen=True)
class TransformReport(Record):
    """What `transform()` did."""

    rows: int  #: rows in the dataset
    rejected_rows: int  #: bad rows that were left out
    other_fold_rows: int  #: good rows in folds that were not requested
    shards: int  #: shards in the dataset
    resumed_shards: int  #: shards that an earlier run had finished
    resumed_rows: int  #: rows in those shards
    already_complete: bool  #: nothing was left to do
    num_columns: int  #: of the matrix
    input_bytes: int  #: as on disk
    text_bytes: int  #: decompressed; read by this run
    output_bytes: int  #: of all shards
    rejected_file: Optional[str]  #: lists the bad rows
    is_main: bool  #: for several processes, whether this is the one with the complete report


@dataclass(frozen=True)
class VerifyReport(Record):
    """A dataset that passed verification."""

    kind: Literal["dataset"]
    rows: int
    rejected_rows: int  #: of the inputs, according to the manifest
    other_fold_rows: int  #: likewise
    shards: int
    bytes: int  #: of all shards


@dataclass(frozen=True)
class VerifyTablesReport(Record):
    """Lookup tables that passed verification."""

    kind: Literal["tables"]
    rows: int  #: rows counted by fit()
    tables: int  #: number of files
    values: int  #: distinct values in all tables
    bytes: int  #: of all tables


@dataclass(frozen=True)
class VerifyModelReport(Record):
    """A model that passed verification."""

    kind: Literal["model"]
    parameters: int  #: of all towers
    towers: int
    epoch: int  #: number of finished epochs
    bytes: int  #: of the file


@dataclass(frozen=True)
class SplitAudit(Record):
    """One split of a feature's code."""

    used_buckets: int  #: buckets that hold at least one value
    fullest_bucket: int  #: number of values in the fullest bucket
    sharing_pairs: float  #: pairs of values with the same bucket
    #: of bucket loads against the expected ones; with many values in a bucket it has width - 1
    #: degrees of freedom
    chi_square: float


@dataclass(frozen=True)
class FeatureAudit(Record):
    """What hashing costs one feature."""

    feature: str
    num_values: int  #: values that share columns
    head_values: int  #: for an exact feature, values with a column of their own
    cardinality: int  #: planned by the schema; 0 if the schema gives buckets
    width: int  #: buckets of a split; for one_hot, all buckets
    load: float  #: num_values / cardinality; 0 without a plan
    modulo_bias: float  #: largest / smallest probability of a bucket, less 1
    expected_code_pairs: float  #: expected value of code_pairs
    code_pairs: int  #: pairs of values that share a whole code
    colliding_values: int  #: values that share their code with another value
    free_directions: int  #: the most independent weights that a linear model can give the values
    expected_bucket_pairs: float  #: expected pairs of values that share a bucket, in one split
    bucket_pairs_deviation: float  #: standard deviation of that number
    expected_fullest_bucket: float  #: expected number of values in the fullest bucket
    splits: List[SplitAudit]  #: four; one for one_hot
    examples: List[List[str]]  #: up to eight groups of values that share a code, most frequent first
    is_fine: bool  #: whether the schema can stay as it is for this feature
    verdict: str  #: the same in words


@dataclass(frozen=True)
class ValueChange(Record):
    """One value and its counts."""

    value: str  #: a cross as "a × b"; "" for missing
    count_before: int
    count_now: int


@dataclass(frozen=True)
class FeatureChange(Record):
    """How the values of a feature have changed.

    Shares refer to what was counted; a list counts once for each of its values.
    """

    feature: str
    #: share of rows without a value; for lists, share of missing values among all values, and
    #: None if they skip them
    missing_share_before: Optional[float]
    missing_share_now: Optional[float]
    values_before: int  #: number of distinct values
    values_now: int
    count_before: int  #: total count of all values
    count_now: int
    unseen_values: int  #: values that did not occur before
    unseen_share: float  #: their share of the counts now
    gone_values: int  #: values that no longer occur
    gone_share: float  #: their share of the counts before
    #: half the sum of the absolute differences of shares: 0 if all are equal, 1 if no value is in
    #: both
    distance: float
    unseen: List[ValueChange]  #: the most frequent now
    most_changed: List[ValueChange]  #: the values whose shares differ most


@dataclass(frozen=True)
class Moments(Record):
    """Moments of a numeric feature, over the rows that have a number."""

    count: int
    mean: Optional[float]
    standard_deviation: Optional[float]


@dataclass(frozen=True)
class NumberChange(Record):
    """How the numbers of a numeric feature have changed."""

    feature: str
    missing_share_before: float  #: share of rows without a number
    missing_share_now: float
    before: Moments
    now: Moments
    #: change of the mean in standard deviations of `before`; None without numbers, or if the
    #: numbers before were all equal and the mean has changed
    mean_shift: Optional[float]


@dataclass(frozen=True)
class ValueEffect(Record):
    """The effect of a value on the raw output."""

    value: str  #: a cross as "a × b"; "" for missing
    count: Optional[int]  #: rows in which fit() saw it; None for intervals, which fit() does not count
    #: relative to the feature's mean: log odds (logistic), logarithm of a count (poisson) or units
    #: of the label (mse)
    effect: float


@dataclass(frozen=True)
class FeatureEffects(Record):
    """The effects of one feature's values on the raw output."""

    feature: str
    #: "items": of a multi-valued feature; "intervals": of bucketize
    kind: Literal["values", "items", "intervals", "number"]
    spread: Optional[float]  #: standard deviation of the effects over the rows: how much the feature matters
    num_values: Optional[int] = None
    highest: Optional[List[ValueEffect]] = None  #: descending
    lowest: Optional[List[ValueEffect]] = None  #: ascending
    #: for a number, as are the next three
    transform: Optional[Literal["none", "log1p", "standardize"]] = None
    per_unit: Optional[float] = None  #: effect of one unit of the encoded value
    mean: Optional[float] = None
    standard_deviation: Optional[float] = None


@dataclass(frozen=True)
class ExportReport(Record):
    """What `export()` wrote."""

    rows: int
    num_columns: int  #: of the matrix


@dataclass(frozen=True)
class CudaDevice(Record):
    """A GPU."""

    index: int  #: N in "cuda:N"
    name: str
    compute_capability: str  #: such as "9.0"
    memory_bytes: int


@dataclass(frozen=True)
class DevicesReport(Record):
    """What a machine can compute on."""

    cpu_name: str
    cpu_threads: int
    cpu_features: List[str]  #: vector instruction sets, widest last
    memory_bytes: int
    cuda: List[CudaDevice]
    cuda_note: str  #: why there are no GPUs, or which cannot be used; "" if all can
    mpi: str  #: version of the MPI library, or why there is none


Verified = Union[VerifyReport, VerifyTablesReport, VerifyModelReport]
