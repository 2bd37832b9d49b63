"""Compressed text to shards, compared with the decompressor alone on the same file."""

from inputs import first_rows, gzip_text, zstd_text
from job import Job, bytes_of
from jobs.ingest import limit_clock

# Making gzip takes longer than measuring it. Fewer than 500,000 rows are four blocks, of which two wait for the first or the last.
MOST_ROWS = 2_000_000


def jobs(setting):
    rows = min(setting.rows, MOST_ROWS)
    text = setting.train if rows == setting.rows else first_rows(setting.train, rows, "compressed")
    shards = setting.work / "compressed-shards"
    everything = []
    for name, path, make in [("gzip", *gzip_text(text)), ("zstd", *zstd_text(text))]:
        common = {"group": "compressed", "rows": rows, "text_bytes": bytes_of(text)}
        everything.append(Job(
            name=f"compressed-{name}-limit", who="limit", what=f"{name} decompressed, nothing done", threads=1,
            commands=[[setting.bin / "bench/input_limits", path]], clock=limit_clock("read_bytes_per_second"), before=make, **common))
        everything += [Job(
            name=f"compressed-{name}-widehash-{threads}", who="widehash", what=f"{name}: `transform`, 26 features",
            threads=threads, writes=[shards], before=make,
            commands=[setting.widehash("transform", "--schema", setting.schema, path, "-o", shards, threads=threads)],
            after=lambda figures: {"disk_bytes": bytes_of(shards)}, **common) for threads in sorted({1, setting.threads})]
    return everything
