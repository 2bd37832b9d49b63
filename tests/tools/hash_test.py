"""`widehash hash`: compares the codes of single values with the shared vectors and another implementation of XXH64."""

import collections
import json
import math
import random
import unittest

from program import SHARED_DIR, Case, run

try:
    import xxhash
except ImportError:
    xxhash = None

VECTORS = SHARED_DIR / "conformance" / "four_split.jsonl"


class Conformance(Case):
    def setUp(self):
        super().setUp()
        if not VECTORS.exists():
            self.skipTest("no conformance vectors at %s" % VECTORS)
        self.groups = collections.defaultdict(list)
        for line in VECTORS.read_text().splitlines():
            vector = json.loads(line)
            self.groups[vector["cardinality"]].append(vector)

    def check(self, encoding, expected):
        checked = 0
        for cardinality, vectors in self.groups.items():
            stdin = "".join(vector["value_hex"] + "\n" for vector in vectors).encode()
            lines = self.succeed("hash", "--cardinality", cardinality, "--encoding", encoding, "--hex",
                                 stdin=stdin).decode().splitlines()
            self.assertEqual(len(lines), len(vectors))
            for line, vector in zip(lines, vectors):
                self.assertEqual(line, "\t".join(map(str, [vector["xxh64"], *expected(vector)])), vector)
                checked += 1
        self.assertGreaterEqual(checked, 2000)

    def test_four_split_gives_the_vectors(self):
        self.check("four_split", lambda vector: vector["four_split"])

    def test_one_hot_gives_the_vectors(self):
        self.check("one_hot", lambda vector: [vector["one_hot"]])


@unittest.skipIf(xxhash is None, "no xxhash module for this Python")
class AgainstAnotherImplementation(Case):
    def values(self):
        source = random.Random(7)
        return [source.randbytes(source.choice([0, 1, 3, 4, 8, 31, 32, 33, 100])) for _ in range(500)]

    def test_xxh64_with_any_seed_cardinality_and_bytes(self):
        source = random.Random(8)
        for _ in range(12):
            cardinality = int(2 ** source.uniform(0, 32))
            seed = source.choice([0, 1, 2 ** 64 - 1, source.getrandbits(64)])
            width = max(8, math.isqrt(cardinality - 1) + 1)
            values = self.values()
            stdin = "".join(value.hex() + "\n" for value in values).encode()
            lines = self.succeed("hash", "--cardinality", cardinality, "--seed", seed, "--hex", stdin=stdin).decode()
            for value, line in zip(values, lines.splitlines(), strict=True):
                h = xxhash.xxh64_intdigest(value, seed=seed)
                buckets = [((h >> (48 - 16 * k)) & 0xFFFF) % width for k in range(4)]
                self.assertEqual(line, "\t".join(["%016x" % h, *map(str, buckets)]))

    def test_xxh3_128_cuts_four_parts_of_32_bits(self):
        width = 10 ** 6
        values = self.values()
        stdin = "".join(value.hex() + "\n" for value in values).encode()
        options = ["--cardinality", width ** 2, "--hash", "xxh3_128", "--hex"]
        lines = self.succeed("hash", *options, stdin=stdin).decode()
        one_hot = self.succeed("hash", *options, "--encoding", "one_hot", "--buckets", "1000003", stdin=stdin).decode()
        for value, line, column in zip(values, lines.splitlines(), one_hot.splitlines(), strict=True):
            h = xxhash.xxh3_128_intdigest(value)
            buckets = [((h >> (96 - 32 * k)) & 0xFFFFFFFF) % width for k in range(4)]
            self.assertEqual(line, "\t".join(["%032x" % h, *map(str, buckets)]))
            self.assertEqual(column, "%032x\t%d" % (h, (h & (2 ** 64 - 1)) % 1000003))


class Values(Case):
    def lines(self, *arguments, stdin=b""):
        return self.succeed("hash", "--cardinality", "1000", *arguments, stdin=stdin).splitlines()

    def test_operands_lines_and_hexadecimal_agree_on_awkward_values(self):
        awkward = ["", "[a,b]", "{}", "[]", "++", "%%", "=x", "train", "-5", "a b", "ä€", "'", "\\", "-"]
        from_operands = self.lines("--", *awkward)
        self.assertEqual(len(set(from_operands)), len(awkward))
        self.assertEqual(from_operands, self.lines(stdin="\n".join(awkward + [""]).encode()))
        self.assertEqual(from_operands, self.lines("--hex", "--", *(value.encode().hex() for value in awkward)))

    def test_line_ends_and_the_last_line_without_one(self):
        self.assertEqual(self.lines(stdin=b"a\r\nb"), self.lines("a", "b"))
        self.assertEqual(self.lines(stdin=b""), [])
        self.assertEqual(self.lines(stdin=b"\n"), self.lines(""))

    def test_bytes_that_are_not_text_are_values_too(self):
        self.assertEqual(self.lines(stdin=b"\xff\x00\xfe\n"), self.lines("--hex", "ff00FE"))

    def test_json_says_the_same(self):
        report = json.loads(self.succeed("hash", "--cardinality", "1000", "--json", "berlin", "paris"))
        lines = ["\t".join([value["xxh64"], *map(str, value["buckets"])]).encode() for value in report["values"]]
        self.assertEqual(lines, self.lines("berlin", "paris"))
        self.assertEqual((report["rows"], report["width"]), (2, 32))

    def test_json_keeps_bytes_that_are_not_text(self):
        report = json.loads(self.succeed("hash", "--cardinality", "10", "--json", stdin=b"\xff\xfe\n"))
        self.assertEqual(report["values"][0]["value_hex"], "fffe")

    def test_cardinality_outside_its_range(self):
        self.assertIn("outside 1..4294967296", self.fail_with(2, "hash", "--cardinality", "0", "a"))
        self.assertIn("xxh3_128", self.fail_with(2, "hash", "--cardinality", 2 ** 32 + 1, "a"))
        self.succeed("hash", "--cardinality", 2 ** 32, "a")
        self.succeed("hash", "--cardinality", 2 ** 32 + 1, "--hash", "xxh3_128", "a")
        self.assertIn("outside", self.fail_with(2, "hash", "--cardinality", 2 ** 58 + 1, "--hash", "xxh3_128", "a"))
        self.assertIn("not a whole number", self.fail_with(2, "hash", "--cardinality", "1e6", "a"))

    def test_wrong_lines_are_reported_by_their_number(self):
        done = run("hash", "--cardinality", "9", "--hex", stdin=b"00\nzz\n")
        self.assertEqual((done.returncode, done.stderr), (1, b"widehash: standard input:2: 'zz' is not hexadecimal; --hex takes two digits a byte\n"))

    def test_wrong_hexadecimal_and_misplaced_buckets(self):
        for text in ["0", "0g", "zz", "0x00"]:
            self.assertIn("not hexadecimal", self.fail_with(2, "hash", "--cardinality", "9", "--hex", text))
        self.assertIn("one_hot", self.fail_with(2, "hash", "--cardinality", "9", "--buckets", "5", "a"))


if __name__ == "__main__":
    unittest.main()
