"""What the jobs of the package find: read-only records, with the names that `widehash COMMAND --json` has for the same.

Each has to_dict(), of plain values that json.dumps() takes. A value that a task or its rows do not have is None. Texts out of
the data that are not UTF-8 keep their bytes as Python keeps those of file names (surrogateescape). Counts of rows leave rejected
ones out, unless they say otherwise. How long a job as a whole took, `seconds` and `rows_per_second` of `--json`, is for the caller to
measure; the `seconds` that are here are parts of a training."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional, Union

from ._core import Schema
from .metrics import MetricsReport, metrics_or_none
from .record import Record, plain, with_records


@dataclass(frozen=True)
class Progress(Record):
    """How far a job is."""

    rows: int  #: done so far; of train() those of all epochs; of audit() and of verify() of tables distinct values
    bytes_done: int  #: of the input as it lies on disk, or of a dataset's shards; of train() rows; where rows are values, features
    bytes_total: int  #: 0 where it cannot be known

    @property
    def fraction(self) -> Optional[float]:
        """From 0 to 1; None where it cannot be known."""
        return min(self.bytes_done / self.bytes_total, 1.0) if self.bytes_total else None


@dataclass(frozen=True)
class FieldReport(Record):
    """What inspect() saw of one field."""

    name: str  #: "" where the header has none for it: such a field is left out
    type: Literal["integer", "number", "time", "text", "empty"]  #: of all values that are there; "empty": there are none
    missing: int  #: rows with an empty value; of numbers also those with one of the schema's missing_values
    distinct: float  #: values; an estimate unless `distinct_is_exact`
    distinct_is_exact: bool
    longest_bytes: int
    texts_among_numbers: List[str]  #: of text whose values are numbers but for some: the few others, eight at most
    other_writing: Optional[str]  #: of text that is numbers or times in another writing: what it is
    minimum: Optional[float]  #: of integers and numbers, as the next
    maximum: Optional[float]
    label_explained: Optional[float]  #: share of the label's entropy that the field explains alone, where a label is given
    examples: List[str]  #: the first few distinct values


@dataclass(frozen=True)
class InspectReport(Record):
    """What inspect() found, and a schema to start from."""

    rows: int
    rejected_rows: int  #: rows with another number of fields, as none is of a table in memory
    header: bool  #: whether the first line names the fields
    delimiter: str  #: between fields; of a table in memory that of the schema, a tab
    quote: str  #: around fields; "" where there is none
    cardinality_standard_error: float  #: of estimated distinct values, relative
    fields: List[FieldReport]
    notes: List[str]  #: what was chosen and may be chosen otherwise, a sentence each
    schema: Schema  #: ready to use
    toml: str  #: the same as TOML, with comments to guide editing

    def to_dict(self) -> Dict[str, Any]:
        """As of all records; `schema` is its TOML text with comments, as in `inspect --json`."""
        items = {name: plain(value) for name, value in vars(self).items() if name != "toml"}
        return items | {"schema": self.toml}


@dataclass(frozen=True)
class TableItem(Record):
    """What fit() found of one feature."""

    feature: str
    num_values: int  #: distinct ones
    file: Optional[str]  #: of its lookup table, in the folder of the tables; None where the feature has none
    mean: Optional[float]  #: of a numeric feature, as the next
    standard_deviation: Optional[float]


@dataclass(frozen=True)
class FitReport(Record):
    """What fit() did."""

    rows: int  #: that the tables count
    added_rows: int  #: of these, those of tables that were added
    skipped_inputs: int  #: that these tables count, or that have no byte
    changed_inputs: List[str]  #: that these tables count with other bytes, and now as they are too
    copied_inputs: List[str]  #: that have the bytes of one that these tables count by another path
    rejected_rows: int  #: bad ones, left out
    other_fold_rows: int  #: good ones of folds that were not asked for
    input_bytes: int  #: as on disk
    text_bytes: int  #: decompressed
    already_complete: bool  #: the tables of the same inputs and schema were there, and nothing was written
    spilled_runs: int  #: how often counts went through the disk
    rejected_file: Optional[str]  #: that lists the bad rows
    tables_fingerprint: str  #: stands for the contents of all tables
    features: List[TableItem]
    is_main: bool  #: whether, of several processes, this is the one whose report is complete


@dataclass(frozen=True)
class TransformReport(Record):
    """What transform() did."""

    rows: int  #: of the dataset
    rejected_rows: int  #: bad ones, left out
    other_fold_rows: int  #: good ones of folds that were not asked for
    shards: int  #: of the dataset
    resumed_shards: int  #: found finished from an earlier run
    resumed_rows: int  #: in those
    already_complete: bool  #: nothing was left to do
    num_columns: int  #: of the matrix
    input_bytes: int  #: as on disk
    text_bytes: int  #: decompressed, taken in by this run
    output_bytes: int  #: of all shards
    rejected_file: Optional[str]  #: that lists the bad rows
    is_main: bool  #: whether, of several processes, this is the one whose report is complete


@dataclass(frozen=True)
class VerifyReport(Record):
    """A dataset that is sound."""

    kind: Literal["dataset"]
    rows: int
    rejected_rows: int  #: of the inputs, as the manifest has it
    other_fold_rows: int  #: of the inputs, likewise
    shards: int
    bytes: int  #: of all shards


@dataclass(frozen=True)
class VerifyTablesReport(Record):
    """Lookup tables that are sound."""

    kind: Literal["tables"]
    rows: int  #: counted by fit()
    tables: int  #: files
    values: int  #: distinct ones, of all tables
    bytes: int  #: of all tables


@dataclass(frozen=True)
class VerifyModelReport(Record):
    """A model that is sound."""

    kind: Literal["model"]
    parameters: int  #: of all towers
    towers: int
    epoch: int  #: finished
    bytes: int  #: of the file


@dataclass(frozen=True)
class SplitAudit(Record):
    """One split of a feature's code."""

    used_buckets: int  #: with a value at least
    fullest_bucket: int  #: values in it
    sharing_pairs: float  #: pairs of values with the same bucket
    chi_square: float  #: of bucket loads against expected ones; with many values to a bucket of width - 1 degrees of freedom


@dataclass(frozen=True)
class FeatureAudit(Record):
    """What hashing costs one feature."""

    feature: str
    num_values: int  #: that share columns
    head_values: int  #: of an exact feature, with a column of their own
    cardinality: int  #: that the schema plans for; 0 where it gives buckets
    width: int  #: buckets of a split; of one_hot all buckets
    load: float  #: num_values / cardinality; 0: there was no plan
    modulo_bias: float
    expected_code_pairs: float
    code_pairs: int  #: pairs of values that share a whole code
    colliding_values: int  #: values that share theirs with another
    expected_bucket_pairs: float  #: for one split
    bucket_pairs_deviation: float  #: of these by chance, the standard one
    expected_fullest_bucket: float
    splits: List[SplitAudit]  #: four, or one of one_hot
    examples: List[List[str]]  #: up to eight groups of values that share a code, most frequent first
    is_fine: bool  #: whether the schema need not be changed for it
    verdict: str  #: the same in words


@dataclass(frozen=True)
class ValueChange(Record):
    """One value, and how often it was counted."""

    value: str  #: a cross as "a × b"; "": missing
    count_before: int
    count_now: int


@dataclass(frozen=True)
class FeatureChange(Record):
    """How the values of a feature have changed. Shares are of what was counted: a list counts once a value."""

    feature: str
    missing_share_before: float  #: of the rows, those without a value; of lists the share of missing ones among all values
    missing_share_now: float
    values_before: int  #: distinct ones
    values_now: int
    count_before: int  #: of all values together
    count_now: int
    unseen_values: int  #: that were not there before
    unseen_share: float  #: of what is counted now
    gone_values: int  #: that are not there now
    gone_share: float  #: of what was counted before
    distance: float  #: half the sum of the differences of shares: 0 where all are the same, 1 where no value is in both
    unseen: List[ValueChange]  #: the most frequent now
    most_changed: List[ValueChange]  #: whose shares differ most


@dataclass(frozen=True)
class Moments(Record):
    """Of the rows that have a number."""

    count: int
    mean: Optional[float]
    standard_deviation: Optional[float]


@dataclass(frozen=True)
class NumberChange(Record):
    """How the numbers of a numeric feature have changed."""

    feature: str
    missing_share_before: float  #: of the rows, those without a number
    missing_share_now: float
    before: Moments
    now: Moments
    mean_shift: Optional[float]  #: of the mean, in standard deviations of before; None without a number, or where those of before were all the same


@dataclass(frozen=True)
class EpochReport(Record):
    """One epoch of train()."""

    epoch: int  #: from 1; 0: the model that it started from, of which there is only `valid`
    train_loss: float  #: mean weighted loss, each batch before its update
    valid: Optional[MetricsReport]  #: on the dataset `valid`
    rows: int  #: of the whole epoch
    rows_this_run: int  #: fewer in an epoch that was resumed
    seconds: float  #: of this run


@dataclass(frozen=True)
class OptimizerSettings(Record):
    """An update rule as it was used."""

    kind: Literal["ftrl", "adagrad", "adam", "rmsprop", "sgd"]
    learning_rate: float  #: at the start
    decay_steps: float  #: over which the learning rate falls linearly to 0; 0: it stays
    decay_start: float  #: steps done before it begins to fall
    l1: float
    l2: float
    beta: float  #: of ftrl
    beta1: float  #: of adam, as the next
    beta2: float
    rho: float  #: of rmsprop
    epsilon: float  #: of adagrad, adam and rmsprop
    mean_weight: float  #: of the rows that are trained on; 0 where they have no weights


@dataclass(frozen=True)
class DeviceReport(Record):
    """What one device's time went to; the shares add up to 1."""

    rank: int  #: among all devices
    device: str  #: as in `devices`
    seconds: float  #: of the training
    read_share: float  #: of them: gathering rows and waiting for them
    compute_share: float
    communicate_share: float  #: moving numbers between devices and adding them up
    wait_share: float  #: for devices that are not as far
    bytes_sent: int  #: to other devices
    bytes_sent_to_other_hosts: int  #: of these


@dataclass(frozen=True)
class LabelMoments(Record):
    """Where labels lie."""

    mean: float
    standard_deviation: float


@dataclass(frozen=True)
class LabelShift(Record):
    """Labels that a model was trained with, and those of a training that starts from it."""

    before: LabelMoments
    now: LabelMoments


@dataclass(frozen=True)
class TrainReport(Record):
    """What train() did."""

    rows: int  #: trained on, all epochs
    epochs: List[EpochReport] = dataclasses.field(repr=False)  #: of this run
    start: Optional[MetricsReport]  #: of the model that it started from, where there is `valid`
    class_weights: Optional[List[float]]  #: as used, in the order of the classes; None where classes were not weighed
    own_rows: Optional[str]  #: a dataset or an input whose rows were trained on and judged by
    repeated_rows: Optional[str]  #: an input that two of the datasets have rows of, which count twice
    only_target: Optional[float]  #: of all rows that weigh anything, where no row has another: there is nothing to learn then
    label_shift: Optional[LabelShift]  #: where labels look as if in another unit than those of the model that it started from
    loss_of_guessing: float  #: of an output that knows nothing; where the loss of the last epoch is above it, the training has gone astray
    best_epoch: int  #: whose parameters the model holds: with `valid` the best, else the last
    best_valid_loss: Optional[float]  #: log loss, Poisson deviance of counts or RMSE of numbers, on `valid`: of that epoch, perhaps of an earlier run
    start_valid_loss: Optional[float]  #: the same of the model that it started from
    stopped_early: bool  #: by `early_stop`, before the last epoch
    batch_size: int  #: given or chosen
    num_columns: int  #: of the matrix
    num_parameters: int
    optimizer: OptimizerSettings
    kept_state: Optional[bool]  #: whether the optimizer's state is that of the model it started from, if any
    efficiency: float  #: share of the devices' time that went to reading and computing
    devices: List[DeviceReport] = dataclasses.field(repr=False)
    is_main: bool  #: whether, of several processes, this is the one whose report is complete

    @property
    def kept_epoch(self) -> Optional[EpochReport]:
        """The epoch whose parameters the model holds; None where this run trained none."""
        return next((epoch for epoch in self.epochs if epoch.epoch == self.best_epoch), None)

    def __repr__(self) -> str:
        # Of the epochs the one that counts: all of them fill pages of a notebook.
        shown = ["kept_epoch", *(field.name for field in dataclasses.fields(self) if field.repr)]
        return f"TrainReport({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


@dataclass(frozen=True)
class ValueEffect(Record):
    """What a value does to the raw output."""

    value: str  #: a cross as "a × b"; "": missing
    count: Optional[int]  #: rows that fit() saw it in; None for intervals, which it does not count
    effect: float  #: log odds, or of squared errors in the units of the label; against the feature's mean


@dataclass(frozen=True)
class FeatureEffects(Record):
    """What the values of one feature do to the raw output."""

    feature: str
    kind: Literal["values", "items", "intervals", "number"]  #: items: of a multi-valued feature; intervals: of bucketize
    spread: Optional[float]  #: standard deviation of the effects over the rows: how much the feature matters
    num_values: Optional[int] = None
    highest: Optional[List[ValueEffect]] = None  #: descending
    lowest: Optional[List[ValueEffect]] = None  #: ascending
    transform: Optional[Literal["none", "log1p", "standardize"]] = None  #: of a number, as are the next three
    per_unit: Optional[float] = None  #: effect of one unit of the encoded value
    mean: Optional[float] = None
    standard_deviation: Optional[float] = None


@dataclass(frozen=True)
class ExportReport(Record):
    """What export() wrote."""

    rows: int
    num_columns: int  #: of the matrix


@dataclass(frozen=True)
class CudaDevice(Record):
    """A GPU."""

    index: int  #: of "cuda:0"
    name: str
    compute_capability: str  #: "9.0"
    memory_bytes: int


@dataclass(frozen=True)
class DevicesReport(Record):
    """What a machine offers to compute on."""

    cpu_name: str
    cpu_threads: int
    cpu_features: List[str]  #: vector instruction sets, widest last
    memory_bytes: int
    cuda: List[CudaDevice]
    cuda_note: str  #: why there are none, or which are left out; "" where all can be used
    mpi: str  #: version of the MPI library, or why there is none


Verified = Union[VerifyReport, VerifyTablesReport, VerifyModelReport]


def label_shift(found: Optional[Dict[str, Any]]) -> Optional[LabelShift]:
    return None if found is None else LabelShift(before=LabelMoments(**found["before"]), now=LabelMoments(**found["now"]))


def epoch(found: Dict[str, Any]) -> EpochReport:
    """An EpochReport of what the compiled module tells."""
    return EpochReport(**with_records(found, valid=metrics_or_none(found["valid"])))
