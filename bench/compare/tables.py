"""The tables of the comparison, as Markdown."""

import machine
from document import table

PLOT_PLACE = "<!-- plot -->"
READING = """\
Each line is a process of its own, run alone, {times}; the best run counts, and "spread" says how much longer the
longest took. The text lies in the page cache. widehash is charged its whole process, with start, checks, checksums and shards
flushed to disk. The Python libraries are charged their calls alone, neither the start of Python nor their import, and what
they make stays in memory. Vowpal Wabbit is not charged for the making of its own text format, its MB/s are of that format, and
its "1 + 1" threads are a parser and a learner. Peak memory is that of the process, mapped files included."""


def millions(rate):
    return f"{rate / 1e6:.2f} M" if rate >= 95_000 else f"{rate / 1e6:.3f} M"


def cell(row, key, form):
    value = row.get(key)
    return form(value) if value not in (None, "") else ""


def common_cells(row):
    return [cell(row, "rows_per_second", millions), cell(row, "bytes_per_second", lambda rate: f"{rate / 1e6:,.0f}")]


def closing_cells(row):
    return [cell(row, "peak_memory_bytes", lambda size: f"{size / 2**20:,.0f} MiB"),
            cell(row, "disk_bytes", lambda size: f"{size / 1e6:,.0f} MB"),
            f"{row['spread']:.0%} of {row['runs']}" if "spread" in row else ""]


def opening_cells(row):
    what = row["what"] + (f" **failed: {row['error']}**" if "error" in row else "")
    return [row["who"] or row["name"], what, row.get("threads", "")]


def ratio_cell(row, base):
    if "rows_per_second" not in row or not base or "rows_per_second" not in base:
        return ""
    return f"{row['rows_per_second'] / base['rows_per_second']:.2f}"


def by_name(rows, name):
    return next((row for row in rows if row["name"] == name), None)


def ingest_table(rows):
    naive, scan = by_name(rows, "ingest-naive-loop"), by_name(rows, "ingest-limit-scan")
    return table(
        ["who", "what", ">threads", ">rows/s", ">MB/s", ">naive loop = 1", ">scan = 1", ">peak memory", ">on disk", ">spread"],
        [[*opening_cells(row), *common_cells(row), ratio_cell(row, naive), ratio_cell(row, scan), *closing_cells(row)]
         for row in rows])


def compressed_table(rows):
    return table(
        ["who", "what", ">threads", ">rows/s", ">MB/s of text", ">decompressor = 1", ">peak memory", ">on disk", ">spread"],
        [[*opening_cells(row), *common_cells(row),
          ratio_cell(row, by_name(rows, "-".join(row["name"].split("-")[:2]) + "-limit")), *closing_cells(row)] for row in rows])


def train_table(rows):
    ours = by_name(rows, "train-widehash")
    return table(
        ["who", "what", ">threads", ">rows", ">rows/s", ">widehash = 1", ">log loss", ">AUC", ">parameters", ">peak memory", ">on disk",
         ">spread"],
        [[*opening_cells(row), cell(row, "rows", "{:,}".format), cell(row, "rows_per_second", millions), ratio_cell(row, ours),
          cell(row, "log_loss", "{:.4f}".format), cell(row, "auc", "{:.4f}".format), cell(row, "num_parameters", "{:,}".format),
          *closing_cells(row)] for row in rows])


def predict_table(rows):
    return table(
        ["who", "what", ">threads", ">rows/s", ">MB/s", ">log loss", ">peak memory", ">spread"],
        [[*opening_cells(row), *common_cells(row), cell(row, "log_loss", "{:.4f}".format), closing_cells(row)[0],
          closing_cells(row)[2]] for row in rows])


def train_notes(rows):
    ours = by_name(rows, "train-widehash") or {}
    if "train_rows_per_second" not in ours:
        return ""
    return (f"Of widehash's time, `train` alone takes {millions(ours['train_rows_per_second'])} rows/s. Learning rates of Vowpal "
            "Wabbit and alpha of scikit-learn were chosen on training rows. Fewer rows cost loss: lines on a part of them are to be "
            "held against widehash on the tenth. The second line has about as many columns as the first, divided among the "
            "features by how frequent their values are.")


SECTIONS = [
    ("ingest", "Text to codes", ingest_table, None),
    ("compressed", "Compressed text to shards", compressed_table, None),
    ("train", "Text to a trained model, one epoch, rows held out", train_table, train_notes),
    ("predict", "Predictions, of the training rows", predict_table, None),
]


def commands_text(rows):
    lines = [f"# {row['name']}\n" + "\n".join(row["commands"]) for row in rows if row["commands"]]
    return "<details><summary>The commands</summary>\n\n```sh\n" + "\n".join(lines) + "\n```\n\n</details>"


def page(results):
    parts = [f"{results['rows']:,} Criteo-shaped rows, {machine.sentence(results['machine'])}",
             READING.format(times="once" if results["repeats"] == 1 else f"{results['repeats']} times"), PLOT_PLACE]
    for group, title, make, notes in SECTIONS:
        rows = [row for row in results["results"] if row["group"] == group]
        if rows:
            parts += [f"### {title}", make(rows)]
            parts += [notes(rows)] if notes and notes(rows) else []
    return "\n\n".join([*parts, commands_text(results["results"])])
