"""A measurement: what is run, and what its figures mean."""

import dataclasses
import pathlib
import shutil
from collections.abc import Callable

HERE = pathlib.Path(__file__).parent


def remove(*paths):
    for path in map(pathlib.Path, paths):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def bytes_of(path):
    path = pathlib.Path(path)
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) if path.is_dir() else path.stat().st_size


def own_seconds(answer):
    """The clock of Python libraries: loading them is not charged."""
    return answer["seconds"]


@dataclasses.dataclass
class Job:
    name: str  # stable: the key of results.json, what --only looks for
    group: str  # ingest, compressed, train or predict: its table
    who: str
    what: str
    threads: int | str
    rows: int
    commands: list  # argument lists, run one after another; their times add up
    writes: list = dataclasses.field(default_factory=list)  # removed before each run
    env: dict = dataclasses.field(default_factory=dict)
    clock: Callable[[dict], float] | None = None  # seconds from the program's output; None: the time of its process
    text_bytes: int = 0  # bytes of text read, for MB/s
    repeats: int | None = None
    before: Callable[[], None] | None = None  # prepares what the commands need; run once, not timed
    after: Callable[[dict], dict] | None = None  # further figures from the figures, such as log_loss and disk_bytes


@dataclasses.dataclass
class Setting:
    """What the jobs of one run share."""

    work: pathlib.Path
    bin: pathlib.Path
    python: str
    threads: int
    train: pathlib.Path  # text
    valid: pathlib.Path
    rows: int
    valid_rows: int
    schema: pathlib.Path  # the 26 categories
    all_fields_schema: pathlib.Path  # the 13 counts as categories too

    def widehash(self, *arguments, threads=None):
        given = ["--threads", threads] if threads else []
        return [self.bin / "widehash", *arguments, *given, "--json", "--quiet"]

    def peer(self, name, *arguments):
        return [self.python, HERE / "peers" / f"{name}.py", *arguments]
