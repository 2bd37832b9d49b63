"""Probabilities of the training rows, written one line per row."""

from inputs import vw_text
from job import Job, bytes_of, own_seconds
from jobs.training import Shards, Vw
from judge import judge, read_labels
from measure import Failed, run_once

JUDGED_ROWS = 200_000  # enough for the loss to tell a working model from a broken one


def check_lines(path, rows):
    with open(path, "rb") as file:
        found = sum(1 for _ in file)
    if found != rows:
        raise Failed(f"{found} predictions for {rows} rows")


def jobs(setting):
    shards = Shards(setting)
    model, predictions = setting.work / "predict.model", setting.work / "predictions.txt"
    vw_model, vw_cache = setting.work / "predict.vwmodel", setting.work / "predict.vwcache"
    sk_model = setting.work / "predict.pickle"
    labels = []
    vw = Vw(setting, labels)
    few = max(setting.rows // 10, 10)

    def once(command, log):
        run_once(list(map(str, command)), {}, setting.work / f"logs/{log}")

    def have_model():
        if not model.exists():
            once(setting.widehash("train", shards.train(), "-o", model), "predict-train")

    def have_vw_model():
        if not vw_model.exists():
            once(vw.learn(vw_text(setting.train), 16, vw_model), "predict-vw-train")

    def have_vw_cache():
        have_vw_model()
        if not vw_cache.exists():
            once(setting.peer("vw_run", "--quiet", "-d", vw_text(setting.train), "--noop", "--cache_file", vw_cache, "-k"),
                 "predict-vw-cache")

    def have_sk_model():
        if not sk_model.exists():
            once(setting.peer("hasher_sgd", "train", setting.train, few, 16, "1e-3", "yes", sk_model), "predict-sgd-train")

    def judged(rows):
        """These rows were trained on: the loss only shows that the predictions come from a working model."""
        def after(figures):
            if not labels:
                labels.extend(read_labels(setting.train)[:JUDGED_ROWS])
            check_lines(predictions, rows)
            return judge(labels[:rows], predictions)
        return after

    def job(name, who, what, threads, command, **rest):
        return Job(name=name, group="predict", who=who, what=what, threads=threads, commands=[command], writes=[predictions],
                   **{"rows": setting.rows, "after": judged(rest.get("rows", setting.rows)), **rest})

    counts = sorted({1, setting.threads})
    shard_folder = setting.work / f"shards-{setting.schema.stem}-train"
    text_bytes = bytes_of(setting.train)
    everything = [job(f"predict-widehash-shards-{n}", "widehash", "`predict` from shards", n, before=have_model,
                      command=setting.widehash("predict", model, shard_folder, "-o", predictions, threads=n)) for n in counts]
    everything += [job(f"predict-widehash-text-{n}", "widehash", "`predict` from text", n, before=have_model, text_bytes=text_bytes,
                       command=setting.widehash("predict", model, setting.train, "-o", predictions, threads=n)) for n in counts]
    cached = setting.peer("vw_run", "--quiet", "--cache_file", vw_cache, "-d", vw_text(setting.train), "-t", "-i", vw_model, "-p",
                          predictions, "--link", "logistic")
    everything += [
        job("predict-vw-text", "Vowpal Wabbit", "`-t` from its format", "1 + 1", clock=own_seconds, before=have_vw_model,
            command=vw.predict(vw_text(setting.train), vw_model, predictions)),
        job("predict-vw-cache", "Vowpal Wabbit", "`-t` from its cache", "1 + 1", clock=own_seconds, before=have_vw_cache,
            command=cached),
        job("predict-sklearn", "scikit-learn", "`FeatureHasher`, `predict_proba` from text, a tenth of the rows", 1, clock=own_seconds,
            rows=few, text_bytes=text_bytes * few // setting.rows, before=have_sk_model,
            command=setting.peer("hasher_sgd", "predict", setting.train, few, 16, sk_model, predictions)),
    ]
    return everything
