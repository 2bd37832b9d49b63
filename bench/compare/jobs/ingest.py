"""Text to codes or columns, and the limits of that."""

from inputs import vw_text
from job import Job, bytes_of, own_seconds


def limit_clock(key):
    """The time for one of the two rates, in bytes per second, that input_limits prints."""
    return lambda answer: answer["bytes"] / answer[key]


def jobs(setting):
    common = {"group": "ingest", "rows": setting.rows, "text_bytes": bytes_of(setting.train)}
    shards = setting.work / "ingest-shards"

    def transform(name, what, schema, threads):
        return Job(
            name=name, who="widehash", what=what, threads=threads, writes=[shards],
            commands=[setting.widehash("transform", "--schema", schema, setting.train, "-o", shards, threads=threads)],
            after=lambda figures: {"disk_bytes": bytes_of(shards)}, **common)

    def limit(name, what, key):
        return Job(name=name, who="limit", what=what, threads=1, commands=[[setting.bin / "bench/input_limits", setting.train]],
                   clock=limit_clock(key), **common)

    counts = sorted({1, setting.threads})
    everything = [transform(f"ingest-widehash-39-{n}", "`transform`, 39 features", setting.all_fields_schema, n) for n in counts]
    everything += [transform(f"ingest-widehash-26-{n}", "`transform`, 26 features", setting.schema, n) for n in counts]
    everything += [
        Job(name="ingest-naive-loop", who="naive loop", what="39 fields hashed, nothing kept", threads=1, clock=own_seconds,
            commands=[[setting.bin / "bench/naive_loop", setting.all_fields_schema, setting.train]], **common),
        limit("ingest-limit-scan", "delimiters found and written out", "scan_bytes_per_second"),
        limit("ingest-limit-read", "bytes read, nothing done", "read_bytes_per_second"),
    ]

    cache = setting.work / "ingest.vwcache"
    vw = vw_text(setting.train)
    hasher_rows = max(setting.rows // 10, 1)
    share = hasher_rows / setting.rows
    everything += [
        Job(name="ingest-vw-cache", who="Vowpal Wabbit", what="its format, 26 features, to its cache", threads="1 + 1",
            clock=own_seconds, writes=[cache],
            commands=[setting.peer("vw_run", "--quiet", "-d", vw, "--noop", "--cache_file", cache, "-k")],
            after=lambda figures: {"disk_bytes": bytes_of(cache)}, **{**common, "text_bytes": bytes_of(vw)}),
        Job(name="ingest-pyarrow", who="pyarrow", what="`read_csv`, 26 columns dictionary-encoded by block", threads=setting.threads,
            clock=own_seconds, commands=[setting.peer("arrow_codes", setting.train, setting.threads)], **common),
        Job(name="ingest-polars", who="Polars", what="`scan_csv`, one hash of 26 columns", threads=setting.threads, clock=own_seconds,
            env={"POLARS_MAX_THREADS": str(setting.threads)}, commands=[setting.peer("polars_codes", setting.train)], **common),
        Job(name="ingest-duckdb", who="DuckDB", what="`read_csv`, one hash of 26 columns", threads=setting.threads, clock=own_seconds,
            commands=[setting.peer("duckdb_codes", setting.train, setting.threads)], **common),
        Job(name="ingest-hasher", who="scikit-learn", what="`FeatureHasher` with its input built", threads=1, clock=own_seconds,
            group="ingest", rows=hasher_rows, text_bytes=int(common["text_bytes"] * share),
            commands=[setting.peer("hasher_sgd", "codes", setting.train, hasher_rows, 16)]),
        Job(name="ingest-hasher-alone", who="scikit-learn", what="`FeatureHasher` alone, its input given", threads=1,
            clock=lambda answer: answer["parts"]["hash"], group="ingest", rows=hasher_rows,
            commands=[setting.peer("hasher_sgd", "codes", setting.train, hasher_rows, 16)]),
    ]
    return everything
