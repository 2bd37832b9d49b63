"""The linear model of docs/network.md in numpy and double precision: layers, losses and optimizers from their equations."""

import math

import numpy
import scipy.special


class LinearModel:
    """`settings`: optimizer, loss, learning_rate, l1, l2, and for some optimizers beta, beta1, beta2, rho, epsilon."""

    def __init__(self, num_columns, num_outputs, settings):
        self.settings, self.step = settings, 0
        self.parameters = [numpy.zeros((num_columns, num_outputs)), numpy.zeros(num_outputs)]
        self.states = [[numpy.zeros_like(one) for one in self.parameters] for _ in range(2)]

    def start_biases(self, targets, weights):
        """The biases that training starts from: the shares of the classes, with adagrad moved towards even probabilities; for poisson
        the mean rate; for mse 0."""
        loss, optimizer = self.settings["loss"], self.settings["optimizer"]
        if loss == "mse":
            return
        if loss == "poisson":
            self.parameters[1][:] = math.log(numpy.average(targets[:, 0], weights=weights))
            self.start_ftrl()
            return
        classes = numpy.hstack([1 - targets, targets]) if targets.shape[1] == 1 else targets
        row = weights[weights > 0].mean()
        shares = (weights @ classes + row) / (weights.sum() + classes.shape[1] * row)
        if targets.shape[1] == 1:
            shares = shares[1:]
        even = 1 / classes.shape[1] if loss == "softmax" else 1 / 2
        moved = (1 if optimizer == "adagrad" else 0) * numpy.sqrt(shares * (1 - shares))
        starts = numpy.where(shares < even, numpy.minimum(shares + moved, even), numpy.maximum(shares - moved, even))
        biases = self.parameters[1]
        biases[:] = numpy.log(starts / even) if loss == "softmax" else numpy.log(starts / (1 - starts))
        self.start_ftrl()

    def start_ftrl(self):
        """Sets the states z of FTRL that give the biases."""
        if self.settings["optimizer"] == "ftrl":
            self.states[0][1][:] = -self.settings["beta"] / self.settings["learning_rate"] * self.parameters[1]

    def outputs(self, rows):
        return rows @ self.parameters[0] + self.parameters[1]

    def predict(self, rows):
        z = self.outputs(rows)
        if self.settings["loss"] == "logistic":
            return 1 / (1 + numpy.exp(-z))
        if self.settings["loss"] == "softmax":
            odds = numpy.exp(z - z.max(1, keepdims=True))
            return odds / odds.sum(1, keepdims=True)
        return numpy.exp(z) if self.settings["loss"] == "poisson" else z

    def losses(self, rows, targets):
        z = self.outputs(rows)
        if self.settings["loss"] == "logistic":
            return (numpy.logaddexp(0, z) - targets * z).sum(1)
        if self.settings["loss"] == "softmax":
            return numpy.logaddexp.reduce(z, 1) - (targets * z).sum(1)
        if self.settings["loss"] == "poisson":
            return 2 * (scipy.special.xlogy(targets, targets) - targets * z - targets + numpy.exp(z)).sum(1)
        return ((z - targets) ** 2).mean(1)

    def train(self, rows, targets, weights, batch_rows, epochs, falls):
        """Trains on the rows in their order. Returns the mean loss of each epoch."""
        # ceil(rows / batch_rows) steps of equal size; the first ones have a row more where that does not divide evenly.
        epoch_steps = math.ceil(rows.shape[0] / batch_rows)
        sizes = [rows.shape[0] // epoch_steps + (step < rows.shape[0] % epoch_steps) for step in range(epoch_steps)]
        ends = numpy.cumsum(sizes)
        num_steps = epochs * epoch_steps
        means = []
        for _ in range(epochs):
            total = 0
            for begin, end in zip(ends - sizes, ends):
                batch = slice(begin, end)
                rate = self.settings["learning_rate"] * (1 - self.step / num_steps if falls else 1)
                total += (self.losses(rows[batch], targets[batch]) * weights[batch]).sum()
                self.train_step(rows[batch], targets[batch], weights[batch], weights.mean(), rate)
            means.append(total / weights.sum())
        return means

    def train_step(self, rows, targets, weights, mean_weight, rate):
        deltas = self.predict(rows) - targets
        if self.settings["loss"] in ("mse", "poisson"):
            deltas *= 2 / targets.shape[1]
        deltas *= weights[:, None] / max(mean_weight * rows.shape[0], weights.sum() / 4)
        self.step += 1
        for index, gradient in enumerate([rows.T @ deltas, deltas.sum(0)]):
            is_bias = index == 1
            states = [one[index] for one in self.states]
            l1, l2 = (0, 0) if is_bias else (self.settings["l1"], self.settings["l2"])
            getattr(self, self.settings["optimizer"])(self.parameters[index], states, gradient, rate, l1, l2)

    def ftrl(self, w, states, gradient, rate, l1, l2):
        z, n = states
        z += gradient - w * (numpy.sqrt(n + gradient**2) - numpy.sqrt(n)) / rate
        n += gradient**2
        w[...] = -(z - numpy.sign(z) * l1) / ((self.settings["beta"] + numpy.sqrt(n)) / rate + l2)
        w[numpy.abs(z) <= l1] = 0

    def sgd(self, w, _, gradient, rate, l1, l2):
        move(w, gradient + l2 * w, rate, l1)

    def adagrad(self, w, states, gradient, rate, l1, l2):
        gradient = gradient + l2 * w
        states[0] += gradient**2
        move(w, gradient, rate / (numpy.sqrt(states[0]) + self.settings["epsilon"]), l1)

    def rmsprop(self, w, states, gradient, rate, l1, l2):
        gradient = gradient + l2 * w
        states[0] += (1 - self.settings["rho"]) * (gradient**2 - states[0])
        move(w, gradient, rate / (numpy.sqrt(states[0]) + self.settings["epsilon"]), l1)

    def adam(self, w, states, gradient, rate, l1, l2):
        gradient = gradient + l2 * w
        beta1, beta2 = self.settings["beta1"], self.settings["beta2"]
        states[0] += (1 - beta1) * (gradient - states[0])
        states[1] += (1 - beta2) * (gradient**2 - states[1])
        spread = numpy.sqrt(states[1] / (1 - beta2**self.step)) + self.settings["epsilon"]
        move(w, states[0] / (1 - beta1**self.step), rate / spread, l1)


def move(w, gradient, step, l1):
    """One step down the gradient, then towards 0 by the l1 penalty, without crossing it."""
    w -= step * gradient
    w[...] = numpy.sign(w) * numpy.maximum(numpy.abs(w) - step * l1, 0)
