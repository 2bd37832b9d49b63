"""Text to a trained model, with the log loss on held-out rows. Nothing is chosen by the held-out rows."""

import math
import pathlib

from inputs import first_rows, vw_text
from job import Job, bytes_of, own_seconds, remove
from judge import judge, log_loss, read_labels, read_predictions
from measure import run_once

BALANCED = pathlib.Path("examples/schemas/criteo26_balanced.toml")
VW_RATES = [0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
CHOICE_ROWS = 400_000  # learning rates are chosen on so many training rows; a tenth of them is held out for that


class Shards:
    """Our shards, for jobs that do not measure making them: made once, by the first job that needs them."""

    def __init__(self, setting, schema=None):
        self.setting, self.schema = setting, schema or setting.schema

    def of(self, text, name):
        folder = self.setting.work / f"shards-{self.schema.stem}-{name}"
        if not (folder / "manifest.json").exists():
            remove(folder)
            command = self.setting.widehash("transform", "--schema", self.schema, text, "-o", folder)
            run_once(list(map(str, command)), {}, self.setting.work / "logs/shards")
        return folder

    def train(self):
        return self.of(self.setting.train, "train")

    def valid(self):
        return self.of(self.setting.valid, "valid")


def num_columns(setting, shards):
    """The number of columns of our matrix, as `train` reports it."""
    _, _, _, answer = run_once(
        list(map(str, setting.widehash("train", shards.valid(), "-o", setting.work / "columns.model", "--overwrite"))), {},
        setting.work / "logs/columns")
    return answer["num_columns"]


def widehash_job(setting, shards, name, what, text, rows, text_bytes):
    folder, model = setting.work / "training-shards", setting.work / f"{name}.model"

    def judged(figures):
        command = setting.widehash("evaluate", model, shards.valid())
        answer = run_once(list(map(str, command)), {}, setting.work / "logs/evaluate")[3]
        train = figures["answers"][1]
        return {"log_loss": answer["log_loss"], "auc": answer["auc"], "num_parameters": train["num_parameters"],
                "train_rows_per_second": rows / figures["part_seconds"][1], "disk_bytes": bytes_of(folder)}

    return Job(
        name=name, group="train", who="widehash", what=what, threads=setting.threads, rows=rows, text_bytes=text_bytes,
        writes=[folder, model, f"{model}.checkpoint"], after=judged,
        commands=[setting.widehash("transform", "--schema", shards.schema, text, "-o", folder, threads=setting.threads),
                  setting.widehash("train", folder, "-o", model, threads=setting.threads)])


class Vw:
    """Vowpal Wabbit's command lines."""

    def __init__(self, setting, labels):
        self.setting, self.labels = setting, labels

    def learn(self, text, bits, model, rate=None):
        return self.setting.peer("vw_run", "--quiet", "-d", text, "-b", bits, "--loss_function", "logistic", "-f", model,
                                 *(["-l", rate] if rate else []))

    def predict(self, text, model, predictions):
        return self.setting.peer("vw_run", "--quiet", "-d", text, "-t", "-i", model, "-p", predictions, "--link", "logistic")

    def chosen_rate(self, bits):
        """The learning rate with the least loss on a tenth of the first training rows, after training on the other nine tenths."""
        work = self.setting.work
        rows = min(self.setting.rows, CHOICE_ROWS)
        text = vw_text(self.setting.train)
        learn = first_rows(text, rows * 9 // 10, "choice-learn")
        held_out = first_rows(text, rows - rows * 9 // 10, "choice-valid", skip=rows * 9 // 10)
        labels = read_labels(held_out, delimiter=" ")
        losses = {}
        for rate in VW_RATES:
            for command in (self.learn(learn, bits, work / "choice.vwmodel", rate),
                            self.predict(held_out, work / "choice.vwmodel", work / "choice.vwp")):
                run_once(list(map(str, command)), {}, work / "logs/vw-choice")
            losses[rate] = log_loss(labels, read_predictions(work / "choice.vwp"))
        return min(losses, key=losses.get)

    def job(self, name, what, bits, rate=None, tuned=False):
        setting = self.setting
        model, predictions = setting.work / f"{name}.vwmodel", setting.work / f"{name}.vwp"
        job = Job(
            name=name, group="train", who="Vowpal Wabbit", what=what, threads="1 + 1", rows=setting.rows, clock=own_seconds,
            text_bytes=bytes_of(vw_text(setting.train)), writes=[model], commands=[self.learn(vw_text(setting.train), bits, model, rate)])

        def choose():
            rate = self.chosen_rate(bits)
            job.what += f" {rate:g}"
            job.commands = [self.learn(vw_text(setting.train), bits, model, rate)]

        def judged(figures):
            command = self.predict(vw_text(setting.valid), model, predictions)
            run_once(list(map(str, command)), {}, setting.work / f"logs/{name}-judged")
            return {**judge(self.labels, predictions), "num_parameters": 2**bits}

        job.after = judged
        job.before = choose if tuned else None
        return job


def sgd_job(setting, labels, bits):
    """FeatureHasher and SGDClassifier on a tenth of the rows, with settings chosen on the first of those."""
    rows = max(setting.rows // 10, 10)
    name = "train-sklearn-sgd"
    model, predictions = setting.work / f"{name}.pickle", setting.work / f"{name}.txt"
    job = Job(name=name, group="train", who="scikit-learn", what="`FeatureHasher`, `SGDClassifier.partial_fit`, a tenth of the rows",
              threads=1, rows=rows, text_bytes=bytes_of(setting.train) * rows // setting.rows, clock=own_seconds,
              writes=[model], commands=[])

    def choose():
        command = setting.peer("hasher_sgd", "choose", setting.train, min(rows, 50_000), bits)
        chosen = run_once(list(map(str, command)), {}, setting.work / "logs/sgd-choice")[3]
        job.what += f", alpha {chosen['alpha']}{', averaged' if chosen['average'] == 'yes' else ''}"
        job.commands = [setting.peer("hasher_sgd", "train", setting.train, rows, bits, chosen["alpha"], chosen["average"], model)]

    def judged(figures):
        few = min(setting.valid_rows, 50_000)
        command = setting.peer("hasher_sgd", "predict", setting.valid, few, bits, model, predictions)
        run_once(list(map(str, command)), {}, setting.work / f"logs/{name}-judged")
        return {**judge(labels[:few], predictions), "num_parameters": 2**bits + 1}

    job.before, job.after = choose, judged
    return job


def exported_job(setting, shards, labels, name, who, what, method, rows, *options):
    """A library that learns from our exported matrix. Our reading and encoding of the text is not charged."""
    predictions = setting.work / f"{name}.txt"
    train, valid = setting.work / f"{name}-train.npz", setting.work / "valid.npz"

    def export():
        few = first_rows(setting.train, rows, f"first-{rows}")
        for folder, path in ((shards.of(few, f"first-{rows}"), train), (shards.valid(), valid)):
            if not path.exists():
                command = setting.widehash("export", folder, "--format", "npz", "-o", path)
                run_once(list(map(str, command)), {}, setting.work / "logs/export")

    return Job(
        name=name, group="train", who=who, what=what, threads=setting.threads, rows=rows, clock=own_seconds, repeats=1, before=export,
        env={"OMP_NUM_THREADS": str(setting.threads)},
        commands=[setting.peer("exported", method, train, valid, predictions, *options)],
        after=lambda figures: {**judge(labels, predictions),
                               "num_parameters": figures["answers"][0].get("num_parameters", "")})


def jobs(setting):
    shards = Shards(setting)
    labels = read_labels(setting.valid)
    bits = max(10, math.ceil(math.log2(num_columns(setting, shards))))
    tenth = max(setting.rows // 10, 10)
    few = max(min(setting.rows // 20, 50_000), 10)
    few_text = first_rows(setting.train, tenth, f"first-{tenth}")
    vw = Vw(setting, labels)
    return [
        widehash_job(setting, shards, "train-widehash", "`transform`, then `train`: 26 four-split features, linear, the defaults",
                     setting.train, setting.rows, bytes_of(setting.train)),
        widehash_job(setting, Shards(setting, BALANCED), "train-widehash-balanced",
                     f"the same with columns divided otherwise (`{BALANCED.name}`)", setting.train, setting.rows,
                     bytes_of(setting.train)),
        vw.job("train-vw", f"its format; `-b {bits}`, the defaults", bits),
        vw.job("train-vw-tuned", f"its format; `-b {bits}`, learning rate", bits, tuned=True),
        vw.job("train-vw-more", f"its format; `-b {bits + 2}`, four times the weights, the defaults", bits + 2),
        widehash_job(setting, shards, "train-widehash-tenth", "the same on a tenth of the rows", few_text, tenth,
                     bytes_of(few_text)),
        sgd_job(setting, labels, bits),
        exported_job(setting, shards, labels, "train-lbfgs", "scikit-learn",
                     "our exported matrix; `LogisticRegression` (L-BFGS, C = 0.1), a tenth of the rows", "lbfgs", tenth, "--c", 0.1),
        exported_job(setting, shards, labels, "train-xgboost", "XGBoost",
                     f"our exported matrix; 30 trees (`hist`), {few:,} rows", "xgboost", few, "--rounds", 30,
                     "--threads", setting.threads),
    ]
