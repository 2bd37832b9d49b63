"""The trials on a real table, each a model with its parameters, log loss and AUC on the test rows."""

import math

import schemas
from job import HERE, remove
from judge import auc, judge, log_loss, read_predictions
from measure import run_once
from real_tables import Rows

VW_RATES = [0.1, 0.2, 0.5, 1.0]
CS = [0.02, 0.1, 0.5, 2.0]


class Trials:
    def __init__(self, table, work, bin_folder, python):
        self.table, self.work, self.bin, self.python = table, work, bin_folder, python
        self.base = schemas.load(table.schema)
        self.train_rows, self.test_rows = Rows(table.schema, table.train), Rows(table.schema, table.test)
        self.labels = self.test_rows.labels()

    def run(self, *command):
        return run_once(list(map(str, command)), {}, self.work / "logs" / f"quality-{self.table.name}")[3]

    def widehash(self, *arguments):
        return self.run(self.bin / "widehash", *arguments, "--json", "--quiet")

    def peer(self, name, *arguments):
        return self.run(self.python, HERE / "peers" / f"{name}.py", *arguments)

    def path(self, name):
        return self.work / f"quality-{name}"

    def result(self, family, title, columns, parameters, figures, epochs=None):
        return {"table": self.table.name, "family": family, "title": title, "columns": columns, "parameters": parameters,
                "epochs": epochs or self.table.epochs, "log_loss": figures["log_loss"], "auc": figures["auc"]}

    def encode(self, schema):
        """Encodes the table by `schema` to shards, train and test."""
        remove(*map(self.path, ("tables", "train", "test")))
        schemas.write(schema, self.path("schema.toml"))
        tables = []
        if any(feature.get("encoding") == "exact" for feature in schema["feature"]):
            self.widehash("fit", "--schema", self.path("schema.toml"), self.table.train, "-o", self.path("tables"))
            tables = ["--tables", self.path("tables")]
        for text, name in ((self.table.train, "train"), (self.table.test, "test")):
            self.widehash("transform", "--schema", self.path("schema.toml"), *tables, text, "-o", self.path(name))

    def learn(self, family, title, *options):
        """Our model on the last encoding, with the defaults of `train`."""
        remove(self.path("model"), self.path("model.checkpoint"))
        trained = self.widehash("train", self.path("train"), "-o", self.path("model"), "--epochs", self.table.epochs, *options)
        figures = self.widehash("evaluate", self.path("model"), self.path("test"))
        return self.result(family, title, trained["num_columns"], trained["num_parameters"], figures)

    def solved(self, title):
        """L-BFGS on the last encoding: shows how much of a loss is due to the encoding and how much to training."""
        for name in ("train", "test"):
            self.widehash("export", self.path(name), "--format", "npz", "-o", self.path(f"{name}.npz"))
        answer = self.peer("exported", "lbfgs", self.path("train.npz"), self.path("test.npz"), self.path("predictions"), "--c", *CS)
        return self.result("solver", f"{title}, L-BFGS of scikit-learn, C = {answer['c']:g}", answer["num_parameters"] - 1,
                           answer["num_parameters"], judge(self.labels, self.path("predictions")), answer["iterations"])

    def base_rate(self):
        share = sum(self.labels) / len(self.labels)
        train = self.train_rows.labels()
        predictions = [sum(train) / len(train)] * len(self.labels)
        figures = {"log_loss": log_loss(self.labels, predictions), "auc": auc(self.labels, predictions) if 0 < share < 1 else None}
        return self.result("base rate", "always the share of positives", 0, 1, figures)

    def sizes(self, family, encoding):
        """One encoding over sizes: the same schema with cardinalities scaled."""
        for scale in self.table.scales:
            self.encode(schemas.encoded(self.base, encoding, scale))
            note = "" if scale == 1 else f", cardinalities x {scale:g}" if scale > 1 else f", cardinalities / {1 / scale:g}"
            yield self.learn(family, family + note)
            if family == "four-split" and scale == 1:
                yield self.learn("hidden", "four-split, `--hidden auto`", "--hidden", "auto")
                yield self.learn("hidden", "four-split, `--hidden 32,16`", "--hidden", "32,16")
                yield self.solved("four-split")

    def exact(self):
        self.encode(schemas.encoded(self.base, "exact"))
        yield self.learn("exact", "exact")
        yield self.solved("exact")
        for head in self.table.heads:
            self.encode(schemas.encoded(self.base, "exact", max_values=head))
            yield self.learn("exact head", f"exact head of {head} values a feature, four-split tail")
        self.encode(schemas.encoded(self.base, "exact", min_count=10))
        yield self.learn("exact head", "exact from 10 times seen, four-split tail")

    def cross(self):
        self.encode(schemas.with_cross(self.base, self.table.cross, self.table.cross_cardinality))
        yield self.learn("cross", f"four-split and {' x '.join(self.table.cross)}")

    def vw_learn(self, text, bits, rate):
        remove(self.path("vwcache"))
        passes = ["--passes", self.table.epochs, "--cache_file", self.path("vwcache"), "-k", "--holdout_off"]
        self.peer("vw_run", "--quiet", "-d", text, "-b", bits, "--loss_function", "logistic", "-f", self.path("vwmodel"), "-l", rate,
                  *(passes if self.table.epochs > 1 else []))

    def vw_predict(self, text):
        self.peer("vw_run", "--quiet", "-d", text, "-t", "-i", self.path("vwmodel"), "-p", self.path("vwp"), "--link", "logistic")

    def vowpal_wabbit(self, columns):
        """Sizes from the next power of two of our columns up; for each, the learning rate that is best on a tenth of the training
        rows, after training on the other nine tenths."""
        learn, held_out, whole, test = (self.path(f"{name}.vw") for name in ("learn", "held-out", "whole", "test"))
        self.train_rows.write_vw(learn, lambda number, row: number % 10 != 9)
        truth = self.train_rows.write_vw(held_out, lambda number, row: number % 10 == 9)
        self.train_rows.write_vw(whole)
        self.test_rows.write_vw(test)
        first = math.ceil(math.log2(columns))
        for bits in range(first, max(18, first) + 1, 2):
            losses = {}
            for rate in VW_RATES:
                self.vw_learn(learn, bits, rate)
                self.vw_predict(held_out)
                losses[rate] = log_loss(truth, read_predictions(self.path("vwp")))
            rate = min(losses, key=losses.get)
            self.vw_learn(whole, bits, rate)
            self.vw_predict(test)
            yield self.result("Vowpal Wabbit", f"Vowpal Wabbit, `-b {bits} -l {rate:g}`", 2**bits, 2**bits,
                              judge(self.labels, self.path("vwp")))

    def all(self):
        """All trials in turn; each generator may fail without the others."""
        four_split_columns = []

        def remembered():
            for result in self.sizes("four-split", "four_split"):
                if result["title"] == "four-split":
                    four_split_columns.append(result["columns"])
                yield result

        yield "base rate", iter([self.base_rate()])
        yield "four-split", remembered()
        yield "one-hot", self.sizes("one-hot", "one_hot")
        yield "exact", self.exact()
        yield "cross", self.cross()
        yield "Vowpal Wabbit", self.vowpal_wabbit(four_split_columns[0] if four_split_columns else 2**10)
