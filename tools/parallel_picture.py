#!/usr/bin/env python3
"""Draws docs/parallelism.svg: who holds what, and what is sent, in each way of training in parallel.

    python3 tools/parallel_picture.py > docs/parallelism.svg
"""

ROWS = "#4c78a8"
PARAMETERS = "#f58518"
STATE = "#e0ac2b"
SENT = "#54a24b"
TEXT = "#333333"
WIDTH, HEIGHT = 960, 410
PANEL = 310


class Drawing:
    def __init__(self):
        self.parts = []

    def box(self, x, y, width, height, colour, label="", filled=1.0):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}" fill-opacity="{0.18}" '
                          f'stroke="{colour}"/>')
        if filled:
            self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height * filled:.0f}" fill="{colour}" '
                              f'fill-opacity="0.75"/>')
        if label:
            self.text(x + width / 2, y + height + 15, label, size=11)

    def part(self, x, y, width, height, colour, begin, end, label=""):
        """A box of which only the stretch from `begin` to `end` (0 to 1) is held."""
        self.box(x, y, width, height, colour, label, filled=0)
        self.parts.append(f'<rect x="{x}" y="{y + begin * height:.1f}" width="{width}" height="{(end - begin) * height:.1f}" '
                          f'fill="{colour}" fill-opacity="0.75"/>')

    def text(self, x, y, words, size=13, weight="normal", anchor="middle", colour=TEXT):
        self.parts.append(f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" '
                          f'fill="{colour}">{words}</text>')

    def arrows(self, x, y, width, words):
        self.parts.append(f'<path d="M{x} {y} h{width} m-8 -4 l8 4 l-8 4 M{x + 8} {y - 4} l-8 4 l8 4" fill="none" '
                          f'stroke="{SENT}" stroke-width="2"/>')
        self.text(x + width / 2, y - 8, words, size=11, colour=SENT)

    def svg(self):
        body = "\n".join(self.parts)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">\n'
                f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n{body}\n</svg>\n')


def panel(drawing, number, title, subtitle, device, sent, cost):
    x = 15 + number * PANEL
    drawing.text(x + 145, 28, title, size=16, weight="bold")
    drawing.text(x + 145, 48, subtitle, size=11)
    for rank in range(2):
        top = 70 + rank * 150
        drawing.text(x + 8, top + 14, f"device {rank}", size=11, anchor="start")
        device(drawing, x, top + 22, rank)
    drawing.arrows(x + 60, 222, 185, sent)
    drawing.text(x + 145, 378, cost, size=11)


def data_device(drawing, x, y, rank):
    drawing.part(x + 10, y, 70, 80, ROWS, rank / 2, (rank + 1) / 2, "half the batch")
    drawing.box(x + 110, y, 70, 80, PARAMETERS, "parameters")
    drawing.part(x + 210, y, 70, 80, STATE, rank / 2, (rank + 1) / 2, "half the state")


def tower_device(drawing, x, y, rank):
    drawing.box(x + 10, y, 70, 80, ROWS, f"batch {rank + 1}")
    drawing.box(x + 110, y, 70, 80, PARAMETERS, "parameters")
    drawing.box(x + 210, y, 70, 80, STATE, "state")


def model_device(drawing, x, y, rank):
    drawing.box(x + 10, y, 70, 80, ROWS, "the batch")
    drawing.part(x + 110, y, 70, 80, PARAMETERS, rank / 2, (rank + 1) / 2, "half the columns")
    drawing.part(x + 210, y, 70, 80, STATE, rank / 2, (rank + 1) / 2, "half the state")


def main():
    drawing = Drawing()
    panel(drawing, 0, "data", "one batch in slices, one set of parameters", data_device,
          "gradients, parameters", "each sends 2 (P-1)/P D numbers a step")
    panel(drawing, 1, "tower", "replicas, a batch each", tower_device,
          "gradients | parameters | nothing", "2 (P-1)/P D  |  2 (P-1)/P (1+S) D / K  |  0")
    panel(drawing, 2, "model", "columns divided, every row seen by all", model_device,
          "partial sums", "2 (P-1)/P B U")
    drawing.text(WIDTH / 2, 402, "P devices, D parameters of the first layer, S optimizer states, B rows to a batch, "
                 "U units of the first layer, K steps between means", size=11)
    print(drawing.svg(), end="")


if __name__ == "__main__":
    main()
