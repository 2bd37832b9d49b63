"""Tables that demand as much memory or time as a table of their size can. Each function writes one file."""

import gzip
import random

HEADER = "label\ta\tb\tc\td\n"


def all_distinct(path, rows):
    """Four fields of 20 bytes, in which no value occurs twice."""
    source = random.Random(1)
    with open(path, "w", encoding="ascii") as out:
        out.write(HEADER)
        for begin in range(0, rows, 1000):
            text = source.randbytes(1000 * 40).hex()
            for i in range(min(1000, rows - begin)):
                fields = [text[80 * i + 20 * f:80 * i + 20 * f + 20] for f in range(4)]
                out.write("%d\t%s\n" % (i & 1, "\t".join(fields)))


def long_fields(path, rows, field_bytes):
    """One field is very long, and different in every row."""
    filling = "x" * field_bytes
    with open(path, "w", encoding="ascii") as out:
        out.write(HEADER)
        for i in range(rows):
            out.write("%d\t%d%s\t1\t2\t3\n" % (i & 1, i, filling))


def many_combinations(path, rows, values):
    """Two fields with lists of `values` values each, all of which are combined with each other."""
    source = random.Random(3)
    with open(path, "w", encoding="ascii") as out:
        out.write(HEADER)
        for i in range(rows):
            lists = ["|".join(str(source.randrange(1000)) for _ in range(values)) for _ in "ab"]
            out.write("%d\t%s\t1\t2\n" % (i & 1, "\t".join(lists)))


def many_fields(path, rows, fields, distinct=1000):
    source = random.Random(2)
    values = [str(i) for i in range(distinct)]
    with open(path, "w", encoding="ascii") as out:
        out.write("label\t" + "\t".join("f%d" % i for i in range(fields)) + "\n")
        for i in range(rows):
            out.write("%d\t%s\n" % (i & 1, "\t".join(source.choices(values, k=fields))))


def bomb(path, byte, size):
    """A header, then one byte repeated: a thousandth of the size when compressed."""
    piece = byte * (1 << 20)
    with gzip.open(path, "wb", compresslevel=1) as out:
        out.write(HEADER.encode())
        for _ in range(size >> 20):
            out.write(piece)


PRIME1, PRIME2, PRIME3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
PRIME4, PRIME5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MASK = (1 << 64) - 1


def rotate(value, bits):
    return (value << bits | value >> (64 - bits)) & MASK


def undo_shift(value, bits):
    whole = value
    for _ in range(64 // bits):
        whole = value ^ whole >> bits
    return whole


def values_of_one_hash(count, wanted=0x0123456789ABCDEF):
    """Distinct 16-byte values whose XXH64 is `wanted`: each step of that hash can be inverted."""
    back1, back2, back3 = (pow(prime, -1, 1 << 64) for prime in (PRIME1, PRIME2, PRIME3))
    end = undo_shift(wanted, 32) * back3 & MASK
    end = undo_shift(end, 29) * back2 & MASK
    end = rotate((undo_shift(end, 33) - PRIME4) * back1 & MASK, 64 - 27)
    source = random.Random(3)
    values = set()
    while len(values) < count:
        first = source.getrandbits(64)
        mixed = rotate(first * PRIME2 & MASK, 31) * PRIME1 & MASK
        middle = (rotate(PRIME5 + 16 ^ mixed, 27) * PRIME1 + PRIME4) & MASK
        second = rotate((end ^ middle) * back1 & MASK, 64 - 31) * back2 & MASK
        value = first.to_bytes(8, "little") + second.to_bytes(8, "little")
        if not any(byte in b"\t\n\r\0" for byte in value):
            values.add(value)
    return sorted(values)


def flood(path, rows):
    """Values with the same hash, none of which occurs twice."""
    with open(path, "wb") as out:
        out.write(HEADER.encode())
        for i, value in enumerate(values_of_one_hash(rows)):
            out.write(b"%d\t%s\t1\t2\t3\n" % (i & 1, value))
