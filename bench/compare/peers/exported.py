"""Libraries that learn from a matrix of `widehash export --format npz`: LIBLINEAR and L-BFGS (by scikit-learn), XGBoost.

    exported.py liblinear|lbfgs|xgboost TRAIN.npz VALID.npz PREDICTIONS [--c C...] [--threads N] [--rounds N]

With several values of C, the best is chosen on a tenth of the training rows, and the model is fitted again on all of them.
`seconds` covers loading and the last fit: neither the choice nor our export is charged.
"""

import argparse
import json
import time

import numpy
import scipy.sparse


def load(path):
    with numpy.load(path) as file:
        return scipy.sparse.load_npz(path).tocsr(), file["targets"]


def logistic(solver, c, matrix, labels):
    from sklearn.linear_model import LogisticRegression
    return LogisticRegression(solver=solver, C=c, max_iter=300).fit(matrix, labels)


def chosen_c(solver, candidates, matrix, labels):
    if len(candidates) == 1:
        return candidates[0]
    from sklearn.metrics import log_loss
    held_out = numpy.arange(matrix.shape[0]) % 10 == 9
    losses = [log_loss(labels[held_out], logistic(solver, c, matrix[~held_out], labels[~held_out])
                       .predict_proba(matrix[held_out])[:, 1]) for c in candidates]
    return candidates[int(numpy.argmin(losses))]


def boosted_trees(matrix, labels, threads, rounds):
    import xgboost
    data = xgboost.QuantileDMatrix(matrix, labels, nthread=threads, max_bin=16)
    settings = {"objective": "binary:logistic", "tree_method": "hist", "max_bin": 16, "nthread": threads}
    return xgboost.train(settings, data, num_boost_round=rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=["liblinear", "lbfgs", "xgboost"])
    parser.add_argument("train")
    parser.add_argument("valid")
    parser.add_argument("predictions")
    parser.add_argument("--c", type=float, nargs="+", default=[1.0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()

    start = time.perf_counter()
    matrix, labels = load(options.train)
    load_seconds = time.perf_counter() - start
    answer = {"rows": matrix.shape[0]}
    if options.method == "xgboost":
        import xgboost
        start = time.perf_counter()
        model = boosted_trees(matrix, labels, options.threads, options.rounds)
        fit_seconds = time.perf_counter() - start
        predictions = model.predict(xgboost.DMatrix(load(options.valid)[0]))
        answer |= {"rounds": options.rounds}
    else:
        c = chosen_c(options.method, options.c, matrix, labels)
        start = time.perf_counter()
        model = logistic(options.method, c, matrix, labels)
        fit_seconds = time.perf_counter() - start
        predictions = model.predict_proba(load(options.valid)[0])[:, 1]
        used = int(numpy.count_nonzero(model.coef_))
        answer |= {"c": c, "num_parameters": used + 1, "iterations": int(numpy.max(model.n_iter_))}
    numpy.savetxt(options.predictions, predictions, fmt="%.7g")
    print(json.dumps({"seconds": load_seconds + fit_seconds, **answer}))


if __name__ == "__main__":
    main()
