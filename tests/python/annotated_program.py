"""What a type checker may find in a user's program. Each line that has to be refused says why; all others have to pass. Nothing
here is run."""

from typing import Dict, List, Optional

import numpy
from numpy.typing import NDArray

import widehash

columns: Dict[str, List[str]] = {"carrier": ["UA", "AA"]}
features = {"carrier": 20, "route": {"cross": ["origin", "dest"], "cardinality": 1000}}


def rows_in_memory() -> None:
    encoder = widehash.Encoder(widehash.make_schema(features, label="late"), tables=b"tables")
    batch = encoder.encode(columns)
    encoder.encode([{"carrier": "UA"}], max_bad_rows=1)
    targets: Optional[NDArray[numpy.float32]] = batch.targets
    batch.targets.sum()  # refused: None without a label
    batch.num_columns = 3  # refused: read-only
    encoder.encode("train.tsv")  # refused: not a table
    encoder.encode(columns, max_bad_rows="1")  # refused: not a number
    encoder.encode(columns, 1)  # refused: by name only
    print(batch[1:2].codes("carrier").sum(), batch[[0, 1]].csr().shape, batch[numpy.array([True])].numbers("month"))
    batch["carrier"]  # refused: does not name rows
    for part in batch:  # refused: not iterable by row
        print(part)
    print([part.weights for part in widehash.Dataset("train").batches(4096, shuffle=True, epoch=2)])
    widehash.Dataset("train").batches(shuffle=3.5)  # refused: not a flag
    print(targets, encoder.schema.fingerprint.upper(), encoder.columns_of("carrier").stop)
    encoder.schema.parse()  # refused: no such method
    hashes, buckets = widehash.hash_values(["UA", "AA"], cardinality=20)
    print(hashes.sum(), buckets.shape)


def show(progress: widehash.Progress) -> None:
    print(progress.rows, progress.fraction)


def show_rows(rows: int) -> None:
    print(rows)


def jobs() -> None:
    schema = widehash.inspect(["a.tsv", "b.tsv"], label="late").schema
    print(widehash.inspect(columns).fields, widehash.inspect(b"a.tsv").fields)
    widehash.fit(schema, "a.tsv", "tables", progress=show)
    widehash.fit(schema, "a.tsv", "tables", progress=show_rows)  # refused: is called with a Progress
    widehash.fit(schema, "a.tsv")  # refused: no output
    widehash.transform(columns, "a.tsv", "train")  # refused: no schema
    report = widehash.train("train", "late.model", hidden=[32, 16], on_epoch=lambda epoch: print(epoch.train_loss))
    widehash.train("train", "late.model", hidden="auto", epochs=2)
    widehash.train("train", "late.model", hidden=numpy.int64(32))
    widehash.train("train", "late.model", hiden=[32])  # refused: misspelt
    widehash.train("train", "late.model", hidden=0.5)  # refused: no units
    report.rows = 3  # refused: read-only
    if report.kept_epoch is not None:
        print(report.kept_epoch.seconds + 1)
    auc: float = widehash.evaluate("late.model", "test").auc  # refused: None unless there are two classes
    print(auc, report.optimizer.learning_rate + 1, report.to_dict()["rows"])
    print(widehash.explain("late.model", "tables")[0].highest[0])  # refused: None for a number


def writing() -> None:
    encoder = widehash.Encoder("schema.toml")
    with widehash.DatasetWriter(encoder, "train", max_bad_rows=3) as writer:
        writer.append(columns)
        writer.append(encoder.encode(columns), threads=2)
        writer.append("train.tsv")  # refused: not a table
    print(writer.finish().num_shards)
    widehash.DatasetWriter("schema.toml", "train")  # refused: no encoder
    with widehash.LookupTablesWriter("schema.toml", "tables") as counter:
        counter.append([{"carrier": "UA"}])
        counter.append(encoder.encode(columns))  # refused: codes are not values
    print(counter.finish()["carrier"].counts)


def judged() -> None:
    print(widehash.describe("train")["rows"], widehash.describe(widehash.Model("late.model")).keys())
    widehash.describe(columns)  # refused: not a path
    found = widehash.verify("train")
    if found.kind == "dataset":
        print(found.shards)
    print(found.shards)  # refused: only datasets have it
    model = widehash.Model("late.model")
    probabilities: NDArray[numpy.float32] = model.predict(columns)
    wide: NDArray[numpy.float64] = widehash.predict("late.model", "train")  # refused: is float32
    print(probabilities, wide, model.hidden[0] + 1)
    for batch in widehash.Dataset("train"):
        print(model.predict(batch), batch.csr())
    for name, table in widehash.LookupTables("tables").items():
        print(name.upper(), table.counts.sum(), table.most_common(3)[0][0].upper())
    widehash.LookupTables("tables")[3]  # refused: features are found by name


def errors() -> None:
    try:
        widehash.load_schema("schema.toml")
    except widehash.DataError as error:
        print(error.path, error.row + 1)
    except widehash.FileError as error:
        print(error.filename, error.errno)
