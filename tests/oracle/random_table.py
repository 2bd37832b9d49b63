"""Tables and schemas made from a seed, as hostile as the formats allow. The contents of each row, and what is wrong with it,
are known from how it was made, so that nothing here has to parse."""

import gzip
import random

MISSING = ["?", "NA", "-", "0", "é", "a"]
SEPARATORS = "|;,:/"
CARDINALITIES = [1, 2, 64, 65, 1000, 65025, 65026, 65536, 65537, 1_000_000]
NUMBERS = [b"0", b"-0", b"1", b"+1", b"3.25", b"5.", b".5", b"1e-400", b"1e-45", b"007", b"-5"]
FAR_NUMBERS = [b"123456789012345", b"1234567890123456789", b"-3.4e38", b"2e6"]
NO_NUMBERS = [b"x", b"1e39", b"1e400", b"nan", b"inf", b"1 2", b"0x10", b"++1", b"+-1", b"-", b"1e"]
TARGETS = {"number": NUMBERS, "binary": {b"yes": 1, b"1": 1, b">50K": 1, b"no": 0},
           "classes": {b"c": 0, b"a": 1, b"b x": 2, b"0": 3}}
LABELS = {"number": "{0}", "binary": '{{ field = {0}, positive = ["yes", "1", ">50K"], negative = ["no"] }}',
          "classes": '{{ field = {0}, classes = ["c", "a", "b x", "0"] }}'}


class Row:
    """`fault`: a word of the reason why the row has to be rejected; None for a good row."""

    def __init__(self, values, fault, target, weight):
        self.values, self.fault, self.target, self.weight = values, fault, target, weight
        self.path, self.line = None, 0


class RandomTable:
    """`schema` is TOML, `files` maps names to bytes, `rows` has the rows of all files in order."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.choose_dialect()
        self.choose_fields()
        self.features = [self.feature(number) for number in range(self.draw.randrange(1, 9))]
        self.schema = self.schema_text()
        self.files, self.rows = {}, []
        for number in range(self.draw.randrange(1, 4)):
            self.add_file("in%d.txt" % number, 600 if number == 0 else self.draw.choice([1, 31, 32, 33, 400]))

    def choose_dialect(self):
        draw = self.draw
        self.is_csv = draw.random() < 0.5
        self.delimiter = draw.choice("\t,;| ") if draw.random() < 0.4 else ("," if self.is_csv else "\t")
        self.quote = draw.choice("\"\"'") if self.is_csv else draw.choice(["", "", "", '"'])
        self.has_header = draw.random() < 0.7
        self.trims = draw.random() < 0.3
        self.missing_values = draw.sample(MISSING, draw.randrange(4))
        self.max_field_bytes = draw.choice([1 << 20, 300])
        self.has_far_numbers = draw.random() < 0.5  # nothing can be trained on these

    def choose_fields(self):
        draw = self.draw
        self.fields = ["f%d" % i if draw.random() < 0.8 else "é_%d" % i for i in range(draw.randrange(1, 9))]
        free = list(self.fields)
        draw.shuffle(free)
        self.label = free.pop() if len(free) > 1 and draw.random() < 0.85 else None
        self.label_kind = draw.choice(["number", "binary", "classes"])
        self.weight = free.pop() if len(free) > 1 and draw.random() < 0.5 else None
        self.numeric = [name for name in free if draw.random() < 0.3]
        self.free = free

    def feature(self, number):
        draw = self.draw
        one = {"name": '"feature %d"' % number}
        if draw.random() < 0.4:
            one["missing"] = draw.choice(['"value"', '"skip"'])
        if draw.random() < 0.25:
            one["missing_values"] = draw.sample(MISSING, draw.randrange(4))
        if self.numeric and draw.random() < 0.25:
            transform = draw.choice(["none", "log1p", "standardize", "bucketize"])
            one |= {"field": quoted(draw.choice(self.numeric)), "encoding": '"numeric"', "transform": quoted(transform)}
            if transform == "bucketize":
                one["boundaries"] = sorted(draw.sample([-5, -1, 0, 0.5, 2, 3.25, 10, 1e6], draw.randrange(1, 6)))
            return one
        if draw.random() < 0.35:
            one["cross"] = "[%s]" % ", ".join(quoted(draw.choice(self.free)) for _ in range(draw.randrange(2, 4)))
        else:
            one["field"] = quoted(draw.choice(self.free))
        encoding = draw.choice(["four_split", "four_split", "one_hot", "exact"])
        one["encoding"] = quoted(encoding)
        if encoding == "one_hot" and draw.random() < 0.5:
            one["buckets"] = draw.choice([1, 2, 7, 65536, 100_000])
        else:
            one["cardinality"] = draw.choice(CARDINALITIES)
        if encoding == "exact":
            one["min_count"] = draw.choice([1, 1, 2, 10, 100_000])
            one["max_values"] = draw.choice([0, 0, 1, 5, 100_000])
        if draw.random() < 0.4:
            one["separator"] = quoted(draw.choice([c for c in SEPARATORS if c != self.delimiter or self.quote]))
        return one

    def schema_text(self):
        draw = self.draw
        lines = ["format = %s" % quoted("csv" if self.is_csv else "tsv"), "delimiter = %s" % quoted(self.delimiter),
                 "quote = %s" % quoted(self.quote), "trim = %s" % str(self.trims).lower(),
                 "header = %s" % str(self.has_header).lower(), "missing = %s" % draw.choice(['"value"', '"skip"']),
                 "missing_values = [%s]" % ", ".join(map(quoted, self.missing_values)),
                 "max_field_bytes = %d" % self.max_field_bytes, "hash = %s" % draw.choice(['"xxh64"'] * 3 + ['"xxh3_128"']),
                 "seed = %d" % draw.choice([0, 1, 2**63 - 1])]
        if not self.has_header:
            lines.append("fields = [%s]" % ", ".join(map(quoted, self.fields)))
        if self.label:
            lines.append("label = " + LABELS[self.label_kind].format(quoted(self.label)))
        if self.weight:
            lines.append("weight = " + quoted(self.weight))
        for feature in self.features:
            lines += ["[[feature]]", *("%s = %s" % item for item in feature.items())]
        return "\n".join(lines) + "\n"

    def value(self):
        draw, kind = self.draw, self.draw.random()
        if kind < 0.1:
            return b""
        if kind < 0.2:
            return draw.choice(MISSING).encode()
        if kind < 0.6:
            return b"v%d" % int(draw.paretovariate(0.8))
        if kind < 0.8:
            items = [draw.choice([b"", b"x", b"NA", b"?", b"t%d" % draw.randrange(9)]) for _ in range(draw.randrange(1, 5))]
            return draw.choice(SEPARATORS).encode().join(items)
        return draw.randbytes(draw.choice([1, 2, 3, 7, 8, 16, 17, 31, 32, 33, 64, 128, 129, 240, 241, 299, 300]))

    def number(self):
        draw = self.draw
        if self.has_far_numbers and draw.random() < 0.1:
            return draw.choice(FAR_NUMBERS)
        return draw.choice(NUMBERS) if draw.random() < 0.5 else b"%.9g" % draw.gauss(0, 100)

    def typed_value(self, name):
        """A value of the field, and what is wrong with it."""
        draw = self.draw
        if name == self.label:
            if draw.random() < 0.01:
                return draw.choice([b"", b"zzz", b"nan", b"1e39"]), "label"
            texts = [self.number()] if self.label_kind == "number" else list(TARGETS[self.label_kind])
            return draw.choice([text for text in texts if self.quote or self.delimiter.encode() not in text]), None
        if name == self.weight:
            if draw.random() < 0.01:
                return draw.choice([b"-1", b"", b"x", b"inf", b"1e39"]), "weight"
            return draw.choice([b"1", b"0", b"2.5", b"0.001", b"1e-400", b"+3"]), None
        if name in self.numeric:
            lists = [feature.get("missing_values", self.missing_values) for feature in self.features
                     if feature.get("field") == quoted(name) and "transform" in feature]
            known = [text for text in MISSING if all(text in texts for texts in lists)]
            if draw.random() < 0.15:
                return draw.choice([b"", *(text.encode() for text in known)]), None
            if draw.random() < 0.01:
                texts = [*NO_NUMBERS, *(text.encode() for text in MISSING if text != "0")]
                return draw.choice([text for text in texts if text.decode() not in known]), \
                    "numeric feature" if lists else None
            return self.number(), None
        return self.value(), None

    def written(self, value):
        """The bytes of a field, and the value read from them."""
        draw, quote, delimiter = self.draw, self.quote.encode(), self.delimiter.encode()
        trims = self.trims and delimiter != b" "
        needs_quotes = delimiter in value or b"\n" in value or b"\r" in value or value.lstrip(b" ").startswith(quote)
        if quote and (needs_quotes or draw.random() < 0.15):
            text = quote + value.replace(quote, quote + quote) + quote
            spaces = [b" " * draw.randrange(3) if trims and draw.random() < 0.3 else b"" for _ in range(2)]
            return spaces[0] + text + spaces[1], value
        for byte in {delimiter, b"\n", b"\r"}:
            value = value.replace(byte, b"_")
        return value, value.strip(b" ") if trims else value

    def row(self):
        typed = [self.typed_value(name) for name in self.fields]
        texts = [self.written(value) for value, _ in typed]
        values = [value for _, value in texts]
        faults = {name: fault for name, (_, fault) in zip(self.fields, typed) if fault}
        of_numbers = "numeric feature" if "numeric feature" in faults.values() else None
        fault = faults.get(self.label) or faults.get(self.weight) or of_numbers
        if self.draw.random() < 0.01:
            texts, fault = self.draw.choice([texts[:-1] or texts * 2, texts + [(b"more", b"more")]]), "field"
        elif self.max_field_bytes == 300 and self.draw.random() < 0.01:
            texts, fault = [(b"L" * 301, b"")] + texts[1:], "has 301 bytes"
        target = weight = None
        if fault is None and self.label:
            text = values[self.fields.index(self.label)]
            target = float(text) if self.label_kind == "number" else TARGETS[self.label_kind][text]
        if fault is None and self.weight:
            weight = float(values[self.fields.index(self.weight)])
        return [text for text, _ in texts], Row(values, fault, target, weight)

    def add_file(self, name, num_rows):
        draw, delimiter = self.draw, self.delimiter.encode()
        order = list(range(len(self.fields)))
        if self.has_header:
            draw.shuffle(order)
        content = b"\xef\xbb\xbf" if draw.random() < 0.1 else b""
        line = 1
        if self.has_header:
            content += delimiter.join(self.fields[i].encode() for i in order) + b"\n"
            line += 1
        for number in range(num_rows):
            texts, row = self.row()
            if len(texts) == len(order):
                texts = [texts[i] for i in order]
            text = delimiter.join(texts)
            if len(order) > 1:
                if not text:
                    continue  # not a row
                if draw.random() < 0.02:
                    content += draw.choice([b"\n", b"\r\n"])
                    line += 1
            row.path, row.line = name, line
            self.rows.append(row)
            is_open = text and number == num_rows - 1 and draw.random() < 0.3
            content += text if is_open else text + draw.choice([b"\n", b"\n", b"\r\n"])
            line += text.count(b"\n") + 1
        self.files[name] = gzip.compress(content) if draw.random() < 0.3 else content


def quoted(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
