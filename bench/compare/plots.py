"""The pictures of docs/benchmarks.md, drawn on a background of their own, so that they are readable on light and dark pages."""

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (the drawing backend is chosen before)
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter  # noqa: E402

CARD, INK, FAINT = "#fbfaf7", "#22272e", "#d9d6cd"
OURS, PEER, LIMIT = "#1f6fb2", "#a3a39b", "#d8b98a"
STYLE = {
    "figure.facecolor": CARD, "axes.facecolor": CARD, "savefig.facecolor": CARD, "text.color": INK, "axes.labelcolor": INK,
    "xtick.color": INK, "ytick.color": INK, "axes.edgecolor": INK, "font.size": 10, "axes.titlesize": 11.5, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "widehash",
}


def save(figure, paths):
    for path in paths:
        metadata = {"Date": None} if path.suffix == ".svg" else {}
        figure.savefig(path, dpi=130, metadata=metadata)
    pyplot.close(figure)


def colour(who):
    return {"widehash": OURS, "naive loop": LIMIT, "limit": LIMIT}.get(who, PEER)


def rate_text(rate):
    return f"{rate / 1e6:.2g} M" if rate < 10e6 else f"{rate / 1e6:.0f} M"


def bars(axes, title, entries):
    """entries: (label, who, rows per second), drawn from the fastest down."""
    entries = sorted(entries, key=lambda entry: entry[2])
    axes.barh([entry[0] for entry in entries], [entry[2] / 1e6 for entry in entries], color=[colour(entry[1]) for entry in entries],
              height=0.66)
    for place, (_, who, rate) in enumerate(entries):
        axes.text(rate / 1e6, place, f" {rate_text(rate)}", va="center", ha="left", fontsize=9,
                  fontweight="bold" if who == "widehash" else "normal")
    axes.set(title=title, xlabel="million rows a second")
    axes.margins(x=0.16)
    axes.set_xlim(left=0)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.grid(axis="x", color=FAINT, linewidth=0.7)
    axes.set_axisbelow(True)


def spaced(values, gap):
    """Heights of labels near `values`, at least `gap` apart, in the same order."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    places = [0.0] * len(values)
    last = None
    for i in order:
        places[i] = values[i] if last is None else max(values[i], last + gap)
        last = places[i]
    if order:  # centre the stack of labels: move it down by half of its growth
        shift = (places[order[-1]] - values[order[-1]]) / 2
        places = [place - shift for place in places]
    return places


def loss_against_rate(axes, title, entries):
    """entries: (label, who, rows per second, log loss)."""
    losses = [entry[3] for entry in entries]
    span = max(max(losses) - min(losses), 1e-3)
    axes.set_xscale("log")
    rates = [entry[2] for entry in entries]
    axes.set(title=title, xlabel="rows a second, text to model (log scale)", ylabel="log loss, rows held out (lower is better)")
    axes.set_xlim(min(rates) / 1.6, max(rates) * 8)
    axes.set_ylim(min(losses) - 0.16 * span, max(losses) + 0.12 * span)
    for (label, who, rate, loss), place in zip(entries, spaced(losses, 0.055 * span), strict=True):
        axes.plot(rate, loss, "o", color=colour(who), markersize=8 if who == "widehash" else 7, zorder=3)
        axes.annotate(label, (rate, loss), xytext=(rate * 1.22, place), textcoords="data", fontsize=8.5, va="center",
                      fontweight="bold" if who == "widehash" else "normal",
                      arrowprops={"arrowstyle": "-", "color": FAINT, "shrinkA": 0, "shrinkB": 4})
    axes.xaxis.set_major_locator(LogLocator(10))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / 1e6:g} M" if value >= 1e5 else f"{value / 1e3:g} k"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(color=FAINT, linewidth=0.7)
    axes.set_axisbelow(True)


def named(results, labels):
    """The rows that have results and a label, as (label, row)."""
    rows = {row["name"]: row for row in results["results"] if "rows_per_second" in row}
    return [(label, rows[name]) for name, label in labels if name in rows]


def thread_labels(results, prefix, text):
    rows = [row["name"] for row in results["results"] if row["name"].startswith(prefix)]
    return [(name, f"{text}, {name.rsplit('-', 1)[1]} thread{'s' if not name.endswith('-1') else ''}") for name in rows]


def draw_compare(results, paths):
    ingest = [(label, row["who"], row["rows_per_second"]) for label, row in named(results, [
        *thread_labels(results, "ingest-widehash-26-", "widehash"), ("ingest-naive-loop", "naive loop, 1 thread"),
        ("ingest-polars", "Polars"), ("ingest-duckdb", "DuckDB"), ("ingest-pyarrow", "pyarrow"), ("ingest-vw-cache", "Vowpal Wabbit"),
        ("ingest-hasher", "scikit-learn")])]
    predict = [(label, row["who"], row["rows_per_second"]) for label, row in named(results, [
        *thread_labels(results, "predict-widehash-shards-", "widehash, shards"),
        *thread_labels(results, "predict-widehash-text-", "widehash, text"), ("predict-vw-cache", "Vowpal Wabbit, cache"),
        ("predict-vw-text", "Vowpal Wabbit, text"), ("predict-sklearn", "scikit-learn, text")])]
    train = [(label, row["who"], row["rows_per_second"], row["log_loss"]) for label, row in named(results, [
        ("train-widehash", "widehash"), ("train-widehash-balanced", "widehash, balanced columns"), ("train-vw", "Vowpal Wabbit"), ("train-vw-tuned", "Vowpal Wabbit, tuned rate"),
        ("train-vw-more", "Vowpal Wabbit, 4 x weights"), ("train-widehash-tenth", "widehash, 1/10 of the rows"),
        ("train-sklearn-sgd", "scikit-learn, 1/10 of the rows")])]
    with pyplot.rc_context(STYLE):
        figure = pyplot.figure(figsize=(11, 7.6), layout="constrained")
        left, right = figure.subfigures(1, 2, width_ratios=[1, 1.08])
        upper, lower = left.subplots(2, 1, height_ratios=[max(len(ingest), 1), max(len(predict), 1)])
        axes = right.subplots()
        if ingest:
            bars(upper, "Text to codes, 26 features", ingest)
        if predict:
            bars(lower, "Predictions", predict)
        if train:
            loss_against_rate(axes, "Text to a trained model, one epoch", train)
        machine = results["machine"]
        figure.suptitle(f"{results['rows']:,} Criteo-shaped rows, {machine['threads']} threads of {machine['processor']}, "
                        f"{machine['date']}", fontsize=9.5)
        save(figure, paths)


def draw_quality(tables, paths):
    """tables: {name: [(label, family, parameters, log loss)]}, one panel each; the points of an encoding over sizes are joined."""
    families = ["four-split", "one-hot", "exact", "exact head", "hidden", "cross", "Vowpal Wabbit", "solver"]
    curves = ["four-split", "one-hot", "Vowpal Wabbit"]  # one encoding over sizes; the others are points
    marks = dict(zip(families, "os^vDPXd", strict=True))
    colours = dict(zip(families, [OURS, "#b5651d", "#2e8b57", "#7bb661", "#6a51a3", "#c2185b", "#7a7a74", "#111111"], strict=True))
    with pyplot.rc_context(STYLE):
        figure, axes_list = pyplot.subplots(1, len(tables), figsize=(4.3 * len(tables) + 0.6, 5.0), layout="constrained", squeeze=False)
        handles = {}
        for axes, (name, points) in zip(axes_list[0], tables.items(), strict=True):
            for family in families:
                own = sorted((parameters, loss) for _, found, parameters, loss in points if found == family)
                if own:
                    (handles[family],) = axes.plot(*zip(*own, strict=True), marker=marks[family], color=colours[family], markersize=7,
                                                   linewidth=1.2 if family in curves else 0, alpha=0.9)
            axes.set_xscale("log")
            axes.set(title=name, xlabel="parameters (log scale)")
            axes.grid(color=FAINT, linewidth=0.7)
            axes.set_axisbelow(True)
        axes_list[0][0].set_ylabel("log loss, test rows (lower is better)")
        shown = [family for family in families if family in handles]
        figure.legend([handles[family] for family in shown], [{"solver": "L-BFGS on ours", "hidden": "hidden layer"}.get(f, f) for f in shown],
                      loc="outside lower center", ncols=min(len(shown), 3 * len(tables)), frameon=False)
        save(figure, paths)
