"""compare_random.py WIDEHASH FIRST COUNT: makes COUNT tables from seeds, with every encoding, and compares the output of `fit`,
`transform`, `export` and `predict` for each with reference_encoder.py, array for array: lookup tables, sections of shards,
matrices, rejected rows, counts. Exit code 77: scipy or xxhash is not installed."""

import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import tomllib
import traceback

try:
    import numpy
    import scipy.sparse

    import reference_encoder
except ImportError as missing:
    print(f"skipped: {missing}; install python3-scipy and python3-xxhash")
    sys.exit(77)

import written_files
from random_table import RandomTable

ABSENT_COLUMN = 2**32 - 1


def expect_equal(found, expected, what):
    if not numpy.array_equal(found, expected):
        raise AssertionError(f"{what}: {found!r}, expected {expected!r}"[:500])


def expect_close(found, expected, what):
    """Logarithms and means may differ in their last bits between libraries."""
    if len(found) != len(expected) or not numpy.allclose(found, expected, rtol=2e-7, atol=0):
        raise AssertionError(f"{what}: {found!r}, expected {expected!r}"[:500])


class Comparison:
    def __init__(self, program, seed, folder):
        self.program, self.folder, self.draw = program, folder, random.Random(seed)
        self.table = RandomTable(seed)
        self.inputs = []
        for name, content in self.table.files.items():
            self.inputs.append(folder / name)
            self.inputs[-1].write_bytes(content)
        (folder / "schema.toml").write_text(self.table.schema)
        self.schema = tomllib.loads(self.table.schema)
        self.good = [row for row in self.table.rows if row.fault is None]
        self.bad = [row for row in self.table.rows if row.fault is not None]
        self.features = [reference_encoder.Feature(self.schema, entry, self.table.fields) for entry in self.schema["feature"]]
        for feature in self.features:
            feature.learn([row.values for row in self.good])

    def run(self, *command):
        finished = subprocess.run([str(self.program), *map(str, command)], capture_output=True, text=True, check=False)
        if finished.returncode != 0:
            raise AssertionError(f"{command}: exit code {finished.returncode}: {finished.stderr}")
        return finished.stdout

    def compare(self):
        text = ["--schema", self.folder / "schema.toml", *self.inputs, "--max-bad-rows", len(self.bad)]
        self.run("fit", *text, "-o", self.folder / "tables", "--memory", self.draw.choice(["32MiB", "2GiB"]))
        self.run("transform", *text, "--tables", self.folder / "tables", "-o", self.folder / "set", "--threads",
                 self.draw.choice([1, 3]), "--block-bytes", self.draw.choice([256, 4096, 65536, 1 << 25]))
        self.run("verify", self.folder / "tables")
        self.run("verify", self.folder / "set")
        self.compare_rows()
        self.compare_tables()
        self.compare_shards()
        self.compare_matrix()
        has_weight = any(row.weight != 0 for row in self.good)
        if self.table.label and has_weight and not self.table.has_far_numbers:
            self.compare_predictions()

    def compare_rows(self):
        manifest = json.loads((self.folder / "set" / "manifest.json").read_text())
        for place, told in zip(self.inputs, manifest["inputs"], strict=True):
            counts = [sum(row.path == place.name for row in rows) for rows in (self.table.rows, self.bad)]
            expect_equal([told["rows"], told["rejected_rows"]], counts, place.name)
        if not self.bad:
            return
        listed = written_files.rejected(self.folder / "set" / "rejected.tsv")
        for (path, line, reason), row in zip(listed, self.bad, strict=True):
            assert (pathlib.Path(path).name, line) == (row.path, row.line), f"{path}:{line} where {row.path}:{row.line} is bad"
            assert row.fault in reason, f"{path}:{line}: {reason}, not {row.fault}"

    def compare_tables(self):
        listed = json.loads((self.folder / "tables" / "tables.json").read_text())
        expect_equal(listed["rows"], len(self.good), "rows of tables.json")
        for feature, item in zip(self.features, listed["items"], strict=True):
            if feature.encoding == "numeric":
                continue
            counts = collections.Counter(value for row in self.good for value in feature.values(row.values))
            hashes = {value: reference_encoder.hash_of(value, self.schema)[0] for value in counts}
            values = sorted(counts, key=lambda value: (hashes[value], value))
            found, metadata = written_files.sections(self.folder / "tables" / item["file"])
            offsets = found["value_offsets"]
            assert [found["values"][begin:end] for begin, end in zip(offsets, offsets[1:])] == values, "values"
            expect_equal(found["counts"], [counts[value] for value in values], "counts")
            is_wide = self.schema["hash"] == "xxh3_128"
            high = [hashes[value] >> (64 if is_wide else 0) for value in values]
            expect_equal(found["hashes"], numpy.array(high, "<u8"), "hashes")
            if is_wide:
                expect_equal(found["hashes_low"], numpy.array([hashes[value] % 2**64 for value in values], "<u8"), "low hashes")
            if feature.width:
                codes = numpy.frombuffer(found["codes"], "<u4")
                expect_equal(codes, [bucket for value in values for bucket in feature.code(value)], "codes of a table")
            expect_equal(metadata["total_count"], sum(counts.values()), "total_count")

    def compare_shards(self):
        done = 0
        for shard in json.loads((self.folder / "set" / "manifest.json").read_text())["shards"]:
            found, metadata = written_files.sections(self.folder / "set" / shard["file"])
            rows = self.good[done:done + shard["rows"]]
            expect_equal(metadata["rows"], len(rows), "rows of a shard")
            done += len(rows)
            expected = self.sections_of(rows)
            expect_equal(sorted(found), sorted(expected), "sections")
            for name, items in expected.items():
                (expect_close if name == "numbers" else expect_equal)(found[name], items, name)
        expect_equal(done, len(self.good), "rows of all shards")

    def sections_of(self, rows):
        """The sections of a shard with these rows."""
        made = collections.defaultdict(list, {"ragged_offsets": [0]})
        codes, runs = b"", b""
        for row in rows:
            two, one = b"", b""
            for feature in self.features:
                kind, items = self.slots(feature, row.values)
                if kind == "two":
                    two += numpy.array(items, "<u2").tobytes()
                elif kind == "one":
                    one += bytes(items)
                elif kind == "run":
                    runs += items
                else:
                    made[kind] += items
            codes += two + one
            made["ragged_offsets"].append(len(runs))
            if self.table.label:
                made["targets"].append(numpy.float32(row.target))
            if self.table.weight:
                made["weights"].append(numpy.float32(row.weight))
        if any(self.is_ragged(feature) for feature in self.features):
            made["runs"] = runs
        else:
            del made["ragged_offsets"]
        return {**made, "codes": codes} if codes else dict(made)

    @staticmethod
    def is_ragged(feature):
        return feature.encoding == "exact" or "separator" in feature.entry

    @staticmethod
    def packed(feature, values):
        """The values of a ragged feature in a packed run."""
        def number(item, below):
            return item.to_bytes(max(1, -(-(below - 1).bit_length() // 8)), "little")

        count = len(values)
        marks = [value not in feature.head for value in values]
        if feature.encoding == "exact":
            count = 2 * count + any(marks)
        packed = bytearray()
        while count >= 128:
            packed.append(count % 128 + 128)
            count //= 128
        packed.append(count)
        if feature.encoding == "exact" and any(marks):
            packed += sum(mark << place for place, mark in enumerate(marks)).to_bytes(-(-len(marks) // 8), "little")
        for value in values:
            if feature.encoding == "one_hot":
                packed += number(feature.value_columns(value)[0], feature.buckets)
            elif value in feature.head:
                packed += number(feature.head[value], len(feature.head))
            else:
                packed += b"".join(number(bucket, feature.width) for bucket in feature.code(value))
        return bytes(packed)

    def slots(self, feature, values):
        """The kind of a feature's slots, and their items for one row."""
        columns = [column for column, _ in feature.columns(values)]
        if feature.encoding == "numeric":
            if feature.entry["transform"] == "bucketize":
                return "columns", columns or [ABSENT_COLUMN]
            return "numbers", [numpy.float32(number) for _, number in feature.columns(values)] or [0]
        if self.is_ragged(feature):
            return "run", self.packed(feature, feature.values(values))
        if feature.encoding == "one_hot":
            return "columns", columns or [ABSENT_COLUMN]
        bound = feature.width + feature.skips_missing  # the marker of a skipped value needs a code
        code = [column % feature.width for column in columns]
        if bound <= 256:
            return "one", code or [0xFF] * 4
        return ("two", code or [0xFFFF] * 4) if bound <= 65536 else ("columns", columns or [ABSENT_COLUMN] * 4)

    def compare_matrix(self):
        self.run("export", self.folder / "set", "--format", "npz", "-o", self.folder / "matrix.npz")
        matrix = scipy.sparse.load_npz(self.folder / "matrix.npz")
        entries, first = [], 0
        for feature in self.features:
            for number, row in enumerate(self.good):
                entries += [(number, first + column, value) for column, value in feature.columns(row.values)]
            first += feature.num_columns()
        rows, columns, values = zip(*entries) if entries else ((), (), ())
        expected = scipy.sparse.coo_matrix((values, (rows, columns)), (len(self.good), first), numpy.float32).tocsr()
        expect_equal(matrix.shape, expected.shape, "shape")
        expect_equal(matrix.indptr, expected.indptr, "row offsets")
        expect_equal(matrix.indices, expected.indices, "columns")
        expect_close(matrix.data, expected.data, "values")

    def compare_predictions(self):
        """Predictions for text and for the dataset made from it: one line per row, equal digits, nan for rows that cannot be encoded."""
        loss = {"number": "mse", "binary": "logistic", "classes": "softmax"}[self.table.label_kind]
        model = self.folder / "model"
        self.run("train", self.folder / "set", "-o", model, "--epochs", 1, "--loss", loss, "--quiet")
        of_set = iter(self.run("predict", model, self.folder / "set").splitlines())
        of_text = self.run("predict", model, *self.inputs, "--tables", self.folder / "tables", "--max-bad-rows", len(self.bad))
        for line, row in zip(of_text.splitlines(), self.table.rows, strict=True):
            if row.fault is None:
                expect_equal(line, next(of_set), "a prediction")
            elif row.fault not in ("label", "weight"):
                assert set(line.split("\t")) == {"nan"}, f"{line} for a row that is bad: {row.fault}"
        assert next(of_set, None) is None, "more predictions of the dataset than of the text"


def main(program, first, count):
    failures = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory(prefix="widehash-random-") as folder:
            try:
                comparison = Comparison(program, seed, pathlib.Path(folder))
                comparison.compare()
                print(f"seed {seed}: {len(comparison.good)} rows are equal, {len(comparison.bad)} are rejected alike")
            except AssertionError:
                failures += 1
                print(f"seed {seed}:\n{traceback.format_exc()}{comparison.table.schema}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
