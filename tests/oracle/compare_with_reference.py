"""compare_with_reference.py WIDEHASH CASE: the matrix that the program makes from a table equals, entry for entry, the matrix
of reference_encoder.py. Each case is a table, made from a fixed seed, and a schema. Exit code 77: scipy or xxhash is not
installed, the case is skipped."""

import gzip
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy
    import scipy.sparse

    import reference_encoder
except ImportError as missing:
    print(f"skipped: {missing}; install python3-scipy and python3-xxhash")
    sys.exit(77)

SOURCE = pathlib.Path(__file__).resolve().parents[2]
NUM_ROWS = 3000


def awkward_value(draw, separators=b""):
    """Empty, short, long, repeated, with NUL or not UTF-8: any bytes except tab, line ends and those in `separators`."""
    kind = draw.random()
    if kind < 0.1:
        return b""
    if kind < 0.6:
        return b"v%d" % draw.randrange(50)
    length = draw.choice([1, 2, 3, 7, 8, 31, 32, 33, 64, 241, 1000])
    return bytes(byte for byte in draw.randbytes(length) if byte not in b"\t\r\n" + separators)


def table(header, rows, ending=b"\n"):
    return ending.join(b"\t".join(row) for row in [header.encode().split(b" "), *rows]) + ending


def label(draw):
    return draw.choice([b"0", b"1"])


def four_split(draw):
    rows = [[label(draw), *(awkward_value(draw) for _ in range(4))] for _ in range(NUM_ROWS)]
    files = {"a.tsv": table("y a b c d", rows[:1700]), "b.tsv": table("y a b c d", rows[1700:], b"\r\n")}
    return files, """
        label = "y"
        [[feature]]
        field = "a"
        cardinality = 1
        [[feature]]
        field = "b"
        cardinality = 65
        [[feature]]
        field = "c"
        cardinality = 1_000_000
        [[feature]]
        field = "d"
        cardinality = 4_294_967_296
        """


def one_hot(draw):
    rows = [[label(draw), *(awkward_value(draw) for _ in range(2))] for _ in range(NUM_ROWS)]
    return {"a.tsv.gz": gzip.compress(table("y a b", rows))}, """
        label = "y"
        seed = 20_130_101
        [[feature]]
        field = "b"
        encoding = "one_hot"
        buckets = 1_009
        [[feature]]
        field = "a"
        encoding = "one_hot"
        cardinality = 500
        """


def cross(draw):
    rows = [[awkward_value(draw, b"|"), label(draw), awkward_value(draw),
             b"|".join(awkward_value(draw, b"|") for _ in range(draw.randrange(4)))] for _ in range(NUM_ROWS)]
    return {"a.tsv": table("a y b tags", rows)}, """
        label = "y"
        [[feature]]
        cross = ["a", "b"]
        cardinality = 10_000
        [[feature]]
        cross = ["b", "a"]
        encoding = "one_hot"
        cardinality = 10_000
        [[feature]]
        cross = ["a", "a"]
        name = "twice"
        cardinality = 100
        [[feature]]
        cross = ["b", "tags", "a"]
        cardinality = 50_000
        separator = "|"
        """


def multi_valued(draw):
    rows = [[b",".join(awkward_value(draw, b",") for _ in range(draw.randrange(6))), label(draw),
             b"|".join(b"t%d" % draw.randrange(5) for _ in range(draw.randrange(6)))] for _ in range(NUM_ROWS)]
    return {"a.tsv": table("words y tags", rows)}, """
        label = "y"
        [[feature]]
        field = "tags"
        cardinality = 5
        separator = "|"
        [[feature]]
        field = "words"
        encoding = "one_hot"
        buckets = 300
        separator = ","
        missing = "skip"
        """


def missing_skipped(draw):
    def value():
        return draw.choice([b"", b"?", b"NA", b"x", b"%d" % draw.randrange(100)])

    rows = [[label(draw), value(), value(), value()] for _ in range(NUM_ROWS)]
    return {"a.tsv": table("y a b c", rows)}, """
        label = "y"
        missing = "skip"
        missing_values = ["?", "NA"]
        [[feature]]
        field = "a"
        cardinality = 103
        [[feature]]
        field = "b"
        cardinality = 103
        missing = "value"
        [[feature]]
        cross = ["a", "c"]
        cardinality = 10_000
        [[feature]]
        field = "c"
        encoding = "one_hot"
        cardinality = 103
        """


def numeric(draw):
    def number():
        return draw.choice([b"", b"0", b"-0", b"%d" % draw.randrange(-5, 2**31), b"%.17g" % draw.gauss(0, 1e3),
                            b"%.3e" % draw.lognormvariate(0, 9)])

    rows = [[number(), number(), label(draw), number(), b"%d" % draw.randrange(12)] for _ in range(NUM_ROWS)]
    return {"a.tsv": table("plain logged y standardized cut", rows)}, """
        label = "y"
        [[feature]]
        field = "cut"
        encoding = "numeric"
        transform = "bucketize"
        boundaries = [-1, 2.5, 3, 9]
        [[feature]]
        field = "plain"
        name = "plain cut"
        encoding = "numeric"
        transform = "bucketize"
        boundaries = [0]
        [[feature]]
        field = "plain"
        encoding = "numeric"
        [[feature]]
        field = "logged"
        encoding = "numeric"
        transform = "log1p"
        [[feature]]
        field = "standardized"
        encoding = "numeric"
        transform = "standardize"
        """


def exact(draw):
    rows = [[label(draw), awkward_value(draw), b"%d" % int(draw.paretovariate(0.7)),
             b"|".join(b"t%d" % int(draw.paretovariate(1)) for _ in range(draw.randrange(4)))] for _ in range(NUM_ROWS)]
    return {"a.tsv": table("y a b tags", rows)}, """
        label = "y"
        [[feature]]
        field = "a"
        encoding = "exact"
        cardinality = 1_300
        [[feature]]
        field = "b"
        encoding = "exact"
        cardinality = 500
        min_count = 3
        max_values = 40
        [[feature]]
        field = "tags"
        encoding = "exact"
        cardinality = 60
        min_count = 2
        separator = "|"
        """


def quoted_csv(draw):
    def field():
        text = draw.choice(["", "plain", 'say ""hi""', "a,b", "two\nlines", "crlf\r\ninside", "x" * 40]) + str(draw.randrange(9))
        return f'"{text}"' if any(c in text for c in ',"\n') or draw.random() < 0.3 else text

    text = "y,a,b\r\n" + "".join(f"{draw.randrange(2)},{field()},{field()}\r\n" for _ in range(NUM_ROWS))
    return {"a.csv": text.encode()}, """
        format = "csv"
        label = "y"
        [[feature]]
        field = "a"
        cardinality = 70
        [[feature]]
        cross = ["b", "a"]
        cardinality = 4_000
        """


def trimmed_csv(draw):
    text = "".join(f"{draw.choice(['<=50K', '>50K'])}, {draw.randrange(99)},  job {draw.randrange(9)} , {draw.choice('?xy')}\n"
                   for _ in range(NUM_ROWS))
    return {"a.csv": text.encode()}, """
        format = "csv"
        header = false
        trim = true
        fields = ["income", "age", "job", "kind"]
        missing_values = ["?"]
        label = { field = "income", positive = [">50K"], negative = ["<=50K"] }
        [[feature]]
        field = "job"
        cardinality = 9
        [[feature]]
        field = "kind"
        cardinality = 3
        missing = "skip"
        [[feature]]
        field = "age"
        cardinality = 99
        """


def wide_hash(draw):
    rows = [[label(draw), awkward_value(draw), awkward_value(draw)] for _ in range(NUM_ROWS)]
    return {"a.tsv": table("y a b", rows)}, """
        label = "y"
        hash = "xxh3_128"
        seed = 7
        [[feature]]
        field = "a"
        cardinality = 1_099_511_627_777
        [[feature]]
        field = "b"
        cardinality = 900
        [[feature]]
        field = "b"
        name = "b as one"
        encoding = "one_hot"
        buckets = 77
        """


def flights(_):
    sample = SOURCE / "examples" / "flights" / "test.tsv.gz"
    return {"test.tsv.gz": sample.read_bytes()}, (SOURCE / "examples" / "schemas" / "flights_cross.toml").read_text()


CASES = {case.__name__: case for case in (four_split, one_hot, cross, multi_valued, missing_skipped, numeric, exact,
                                          quoted_csv, trimmed_csv, wide_hash, flights)}


def run(*command):
    finished = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit code {finished.returncode}: {finished.stderr}")


def compare(program, case, folder):
    files, schema = CASES[case](random.Random(case))
    inputs = []
    for name, content in files.items():
        inputs.append(folder / name)
        inputs[-1].write_bytes(content)
    schema_path = folder / "schema.toml"
    schema_path.write_text(schema)

    run(program, "fit", "--schema", schema_path, *inputs, "-o", folder / "tables")
    run(program, "transform", "--schema", schema_path, "--tables", folder / "tables", *inputs, "-o", folder / "dataset",
        "--block-bytes", "65536")
    run(program, "verify", folder / "dataset")
    run(program, "export", folder / "dataset", "--format", "npz", "-o", folder / "matrix.npz")
    matrix = scipy.sparse.load_npz(folder / "matrix.npz")
    expected, labels = reference_encoder.encode(inputs, schema_path)

    assert matrix.shape == expected.shape, f"shape {matrix.shape}, expected {expected.shape}"
    assert numpy.array_equal(matrix.indptr, expected.indptr), "row offsets differ"
    assert numpy.array_equal(matrix.indices, expected.indices), "columns differ"
    # Logarithms and means may differ in their last bits between libraries; everything else is a small integer.
    assert numpy.allclose(matrix.data, expected.data, rtol=1e-6, atol=1e-12), "values differ"
    targets = numpy.load(folder / "matrix.npz")["targets"]
    assert numpy.array_equal(targets, [1.0 if text in (b"1", b">50K") else 0.0 for text in labels]), "targets differ"
    print(f"{case}: {matrix.shape[0]} rows, {matrix.shape[1]} columns, {matrix.nnz} entries are equal")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="widehash-oracle-") as scratch:
        compare(sys.argv[1], sys.argv[2], pathlib.Path(scratch))
