"""PyTorch on the same rows: EmbeddingBag as the sparse first layer, the same optimizer, batch, epoch and loss.

    embedding_bag.py TRAIN.npz VALID.npz --hidden none|UNITS --input device|host --batch ROWS

The .npz files come from `widehash export --format npz`. Prints one JSON object. Exit code 77 if PyTorch or a GPU is
missing. Measures three ways, as PyTorch's documentation advises for small steps, and reports the fastest: the plain
step, the forward and backward pass compiled with CUDA graphs, and the whole step with the optimizer as one CUDA graph.
Ways that end with an error are named in the output.
"""

import argparse
import json
import statistics
import sys
import time


def fail_without_torch():
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed here: its comparison is left out.", file=sys.stderr)
        sys.exit(77)
    if not torch.cuda.is_available():
        print("PyTorch sees no GPU here: its comparison is left out.", file=sys.stderr)
        sys.exit(77)
    return torch


def load(path):
    """Column indices [rows, slots] and targets; every row sets the same number of columns."""
    import numpy

    table = numpy.load(path)
    rows = int(table["shape"][0])
    indices = table["indices"]
    if len(indices) % max(rows, 1):
        raise SystemExit(f"{path}: rows set different numbers of columns; use four_split features without missing = \"skip\"")
    return indices.reshape(rows, -1).astype("int32"), table["targets"].astype("float32"), int(table["shape"][1])


def make_model(torch, num_columns, hidden):
    units = 1 if hidden == "none" else int(hidden)

    class Wide(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.EmbeddingBag(num_columns, units, mode="sum")
            self.bias = torch.nn.Parameter(torch.zeros(units))
            self.tail = None if hidden == "none" else torch.nn.Linear(units, 1)
            torch.nn.init.normal_(self.first.weight, std=0.01 if self.tail is not None else 0.0)

        def forward(self, indices):
            sums = self.first(indices) + self.bias
            return (sums if self.tail is None else self.tail(torch.relu(sums))).squeeze(1)

    return Wide().cuda()


def batches(torch, indices, targets, rows, input_is_on_device):
    """Batches in the order of the table. From the host they are copied from pinned memory on a separate stream, each while the
    previous one is trained on."""
    slices = [slice(begin, begin + rows) for begin in range(0, len(targets) - rows + 1, rows)]
    if input_is_on_device:
        yield from ((indices[part], targets[part]) for part in slices)
        return
    copies = torch.cuda.Stream()

    def begin(part):
        with torch.cuda.stream(copies):
            return indices[part].cuda(non_blocking=True), targets[part].cuda(non_blocking=True)

    following = begin(slices[0]) if slices else None
    for number in range(len(slices)):
        torch.cuda.current_stream().wait_stream(copies)
        batch = following
        for tensor in batch:
            tensor.record_stream(torch.cuda.current_stream())
        following = begin(slices[number + 1]) if number + 1 < len(slices) else None
        yield batch


# Epochs measured. The rate is their median, because an epoch has only a few dozen steps.
NUM_EPOCHS = 9


def whole_step_as_graph(torch, step, batch):
    """A step for other rows, which are copied to where the graph reads them. Its allocations lie in the graph's own memory, also
    those of gradients: they are None during the capture, so that each replay writes them anew."""
    fixed = [tensor.clone() for tensor in batch]
    beside = torch.cuda.Stream()
    beside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(beside):
        for _ in range(3):
            step(*fixed)
    torch.cuda.current_stream().wait_stream(beside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step(*fixed)

    def replay(*tensors):
        for to, tensor in zip(fixed, tensors):
            to.copy_(tensor, non_blocking=True)
        graph.replay()

    return replay


def train(torch, table, valid, options, way):
    """(rows per second of each epoch, log loss after the first)"""
    indices, targets, num_columns = table
    torch.manual_seed(0)
    model = make_model(torch, num_columns, options.hidden)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=options.lr, initial_accumulator_value=0.1, foreach=True)
    loss_of = torch.nn.BCEWithLogitsLoss()

    def forward_and_backward(part, labels):
        loss_of(model(part), labels).backward()

    passes = torch.compile(forward_and_backward, mode="reduce-overhead") if way == "compiled" else forward_and_backward

    def step(part, labels):
        # A graph has its gradients in its own memory: if they were kept, the next pass would add to what it overwrites.
        optimizer.zero_grad(set_to_none=True)
        if way == "compiled":
            torch.compiler.cudagraph_mark_step_begin()
        passes(part, labels)
        optimizer.step()

    on_device = options.input == "device"
    data = [torch.from_numpy(array) for array in (indices, targets)]
    data = [array.cuda() for array in data] if on_device else [array.pin_memory() for array in data]

    def epoch(most=None):
        num_rows = 0
        begin = time.perf_counter()
        for part, labels in batches(torch, *data, options.batch, on_device):
            step(part, labels)
            num_rows += len(labels)
            if most is not None and num_rows >= most * options.batch:
                break
        torch.cuda.synchronize()
        return num_rows / (time.perf_counter() - begin)

    start = {name: value.clone() for name, value in model.state_dict().items()}
    if way == "graph":
        step = whole_step_as_graph(torch, step, [array[:options.batch].cuda() for array in data])
    epoch(most=20)  # compiling and warming up do not count
    with torch.no_grad():
        for name, value in model.state_dict().items():
            value.copy_(start[name])
        for state in optimizer.state.values():
            state["sum"].fill_(0.1)
    rates = [epoch()]
    loss = log_loss(torch, model, valid, options.batch)
    rates += [epoch() for _ in range(NUM_EPOCHS - 1)]
    return rates, loss


def log_loss(torch, model, table, batch):
    indices, targets, _ = table
    total = 0.0
    with torch.no_grad():
        for begin in range(0, len(targets), batch):
            labels = torch.from_numpy(targets[begin:begin + batch]).cuda()
            outputs = model(torch.from_numpy(indices[begin:begin + batch]).cuda())
            total += float(torch.nn.functional.binary_cross_entropy_with_logits(outputs, labels, reduction="sum"))
    return total / len(targets)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("valid")
    parser.add_argument("--hidden", default="none")
    parser.add_argument("--input", choices=["device", "host"], default="device")
    parser.add_argument("--batch", type=int, default=65536)
    parser.add_argument("--lr", type=float, default=0.05)
    options = parser.parse_args()
    torch = fail_without_torch()

    table, valid = load(options.train), load(options.valid)
    measured, failed = {}, {}
    for way in ("plain", "compiled", "graph"):
        try:
            measured[way] = train(torch, table, valid, options, way)
        except Exception as problem:  # a missing compiler must not end the run
            failed[way] = str(problem)
            print(f"PyTorch, {way}: {problem}", file=sys.stderr)
    if not measured:
        sys.exit(1)
    middle = {way: statistics.median(rates) for way, (rates, _) in measured.items()}
    best = max(middle, key=middle.get)
    rates, loss = measured[best]
    print(json.dumps({
        "rows_per_second": middle[best], "epochs": [{"rows_per_second": rate} for rate in rates], "way": best,
        "ways": middle, "failed": failed, "log_loss": loss, "torch": torch.__version__,
        "device": torch.cuda.get_device_name(0)}))


if __name__ == "__main__":
    main()
