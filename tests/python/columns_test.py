"""How values of Python, numpy and pandas are hashed: as the texts that a file would hold."""

import array
import datetime
import decimal
import random
import unittest
import warnings

import numpy as np
import scipy.sparse
import widehash
from columns_kit import hashes, pa, pd, pl, rows_of_lists, text_hashes


class Values(unittest.TestCase):
    def expect(self, values, texts):
        self.assertEqual(hashes(values), text_hashes(texts))

    def test_objects_are_their_canonical_text(self):
        self.expect(
            ["x", "é", b"\xff\x00z", True, False, 7, -7, 10**30, 3.0, -0.0, 0.1, 1e300, float("inf"), None, float("nan")],
            ["x", "é", b"\xff\x00z", "true", "false", "7", "-7", str(10**30), "3", "0", "0.1", str(int(1e300)), "inf", "", ""],
        )

    def test_integers_with_words_of_their_own_are_their_digits(self):
        class Named(int):
            def __str__(self):
                return "a name"

        self.expect([Named(5), Named(2**70)], ["5", str(2**70)])

    def test_numbers_of_numpy_are_those_of_python(self):
        self.expect(
            [np.int8(-3), np.uint64(2**64 - 1), np.float64(0.5), np.float32(0.1), np.float16(2), np.bool_(True), np.str_("s")],
            ["-3", str(2**64 - 1), "0.5", "0.1", "2", "true", "s"],
        )

    def test_arrays_are_the_lists_they_hold(self):
        for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">f8", "f2", "f4", "f8"):
            values = np.array([0, 1, 7, 100], dtype=dtype)
            self.expect(values, ["0", "1", "7", "100"])
        self.expect(np.array([True, False]), ["true", "false"])
        self.expect(np.array([0.1, np.nan, np.inf, -2]), ["0.1", "", "inf", "-2"])
        self.expect(np.array(["a", "bé", ""]), ["a", "bé", ""])
        self.expect(np.array([b"a", b"b\xff"]), [b"a", b"b\xff"])
        self.expect(np.array(["a", None, 3], dtype=object), ["a", "", "3"])

    def test_arrays_need_not_lie_in_one_piece(self):
        values = np.arange(40, dtype=np.int32).reshape(10, 4)
        self.expect(values[::3, 1], [str(v) for v in values[::3, 1]])

    def test_masked_values_are_missing(self):
        self.expect(np.ma.array([1, 2, 3], mask=[False, True, False]), ["1", "", "3"])

    def test_text_that_is_no_utf8_comes_back_as_it_was_read(self):
        self.expect([b"\xff\xfe".decode("utf-8", "surrogateescape")], [b"\xff\xfe"])

    def test_floats_of_32_bits_keep_their_texts(self):
        values = np.array([0.1, 9.99], dtype="f4")
        for same in (values, np.ma.array(values), array.array("f", values), list(values), np.array(list(values), dtype=object)):
            self.expect(same, ["0.1", "9.99"])
        self.expect(np.ma.array(values, mask=[True, False]), ["", "9.99"])

    def test_any_number_reads_back(self):
        generator = random.Random(5)
        numbers = [generator.getrandbits(64) - 2**63 for _ in range(5000)]
        self.expect(np.array(numbers), [str(number) for number in numbers])
        self.expect(numbers, [str(number) for number in numbers])

    def test_what_has_no_one_text_is_refused_by_column_row_and_type(self):
        for value, words in (
            (decimal.Decimal("1.0"), "Decimal"),
            (datetime.time(3, 4), "time"),
            ([1, 2], "separator"),
            (1j, "complex"),
        ):
            with self.assertRaisesRegex(widehash.ConfigError, f"column 'values', row 2: .*{words}"):
                hashes(["x", value])
        for array in (np.array([7], dtype="m8[D]"), np.array([1j]), np.zeros(2, dtype="V4")):
            with self.assertRaisesRegex(widehash.ConfigError, "column 'values' has the type"):
                hashes(array)
        with self.assertRaisesRegex(TypeError, "2 dimensions"):
            hashes(np.zeros((2, 2)))
        for scalar in ("text", b"text", bytearray(b"text"), 5, None, {"a": 1}, {"a", "b"}, object(), list, len, scipy.sparse.eye(2).tocsr()):
            with self.subTest(scalar), self.assertRaisesRegex(TypeError, "column 'values' is (an? .*|None), not a sequence"):
                hashes(scalar)
        with self.assertRaisesRegex(TypeError, "column 'a' is an object, not a sequence"):
            widehash.Encoder(widehash.make_schema({"a": 10})).encode({"a": object()})
        if pa is not None:
            with self.assertRaisesRegex(TypeError, "not a sequence"):
                hashes(pa.scalar(5))
        if pl is not None:
            with self.assertRaisesRegex(TypeError, "column 'values' is a LazyFrame, not a sequence of values; call .collect"):
                hashes(pl.LazyFrame({"a": [1]}))

    def test_a_name_that_is_no_unicode_is_refused_where_all_columns_are_looked_at(self):
        table = {"a": ["x"], "\ud800": [1]}
        with self.assertRaisesRegex(widehash.ConfigError, r"column '\\ud800': its name has surrogates"):
            widehash.inspect(table)
        self.assertEqual(len(widehash.Encoder(widehash.make_schema({"a": 10})).encode(table)), 1)

    def test_floats_of_16_bits_are_the_shortest_text_that_reads_back(self):
        values = np.array([0.1, 9.99, np.nan, -np.inf], dtype="f2")
        for same in (values, values.astype(">f2"), np.ma.array(values), list(values), np.array(list(values), dtype=object), memoryview(values)):
            self.expect(same, ["0.1", "9.99", "", "-inf"])
        every = np.arange(2**16, dtype=np.uint16).view(np.float16)
        every = every[np.isfinite(every)]
        # numpy finds the shortest digits as well; read as a number, they have the same text as that number.
        shortest = [float(np.format_float_scientific(value, unique=True, trim="-")) for value in every]
        self.assertEqual(hashes(every), hashes([float(every[i]) if every[i] == int(every[i]) else shortest[i] for i in range(len(every))]))
        lists = [np.array([0.1], dtype="f2"), [np.float16(0.2)]]
        self.assertEqual(rows_of_lists(lists), rows_of_lists([["0.1"], ["0.2"]]))

    @unittest.skipIf(not hasattr(getattr(np, "dtypes", None), "StringDType"), "this numpy has no StringDType")
    def test_arrays_of_texts_of_any_length(self):
        texts = ["a", "a text of more than fifteen bytes", "é", ""]
        self.expect(np.array(texts, dtype=np.dtypes.StringDType()), texts)
        for missing in (None, np.nan):
            self.expect(np.array(["a", missing], dtype=np.dtypes.StringDType(na_object=missing)), ["a", ""])
        self.expect(np.array(texts, dtype=np.dtypes.StringDType())[::-2], texts[::-2])

    def test_views_of_memory_are_the_arrays_they_show(self):
        self.expect(memoryview(array.array("i", [1, -2])), ["1", "-2"])
        self.expect(memoryview(np.array([True, False])), ["true", "false"])
        self.assertEqual(len(widehash.Encoder(widehash.make_schema({"a": 10})).encode({"a": memoryview(array.array("d", [0.5]))})), 1)
        with self.assertRaisesRegex(TypeError, "2 dimensions"):
            hashes(memoryview(np.zeros((2, 2))))

    def test_what_python_makes_no_text_of_is_refused_by_column_and_row(self):
        for value, words in (
            ("\ud800", "a value of type str that has no text: .*surrogates not allowed"),
            (np.array([1, 2]), "a value of type numpy.ndarray among single values"),
            (np.array([[1]]), "a value of type numpy.ndarray among single values"),
            (np.array(1), "a value of type numpy.ndarray"),
            (10**5000, "a value of type int that has no text: .*digits"),
        ):
            with self.subTest(words), self.assertRaisesRegex(widehash.ConfigError, f"column 'values', row 2: {words}"):
                hashes(["x", value])
        for value, dimensions in ((np.array([[1]]), 2), (np.array(1), 0)):
            with self.assertRaisesRegex(widehash.ConfigError, f"column 'values', row 2: an array of {dimensions} dimensions"):
                hashes([["x"], value])


@unittest.skipIf(pd is None, "pandas is not installed")
class Pandas(unittest.TestCase):
    def expect(self, values, texts):
        self.assertEqual(hashes(values), text_hashes(texts))

    def test_series_of_every_kind(self):
        self.expect(pd.Series([1, 2]), ["1", "2"])
        self.expect(pd.Series([1, None]), ["1", ""])  # pandas makes them floats
        self.expect(pd.Series(["a", None, float("nan")]), ["a", "", ""])
        self.expect(pd.Series([True, False]), ["true", "false"])
        self.expect(pd.array([1, None], dtype="Int64").to_numpy(object), ["1", ""])
        self.expect(pd.Series([2**60 + 1, None], dtype="Int64"), [str(2**60 + 1), ""])
        self.expect(pd.Series([True, None], dtype="boolean"), ["true", ""])
        self.expect(pd.Series(["a", None], dtype="string"), ["a", ""])

    def test_categories_are_their_values(self):
        self.expect(pd.Series(["b", None, "a", "b"], dtype="category"), ["b", "", "a", "b"])
        self.expect(pd.Series([2, 1, 2], dtype="category"), ["2", "1", "2"])
        many = [f"v{i}" for i in range(40000)]  # indices of 32 bits
        self.expect(pd.Series(many, dtype="category"), many)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.expect(pd.Categorical(["b", None, "a"]), ["b", "", "a"])

    def test_a_bad_category_is_refused_by_the_first_row_that_has_it(self):
        noon = datetime.time(12)
        bad = pd.Categorical(["x", None, "y", noon, "x", noon], categories=[noon, "x", "y"])
        for values in (bad, pd.Series(bad), pd.CategoricalIndex(bad)):
            with self.assertRaisesRegex(widehash.ConfigError, "column 'values', row 4: a value of type datetime.time"):
                hashes(values)
        self.expect(bad[:3], ["x", "", "y"])  # still has the category

    def test_floats_of_32_bits_keep_their_texts(self):
        values = np.array([0.1, 9.99], dtype="f4")
        self.expect(pd.Series(values), ["0.1", "9.99"])
        self.expect(pd.Series(values).astype("Float32"), ["0.1", "9.99"])
        self.expect(pd.Series([np.float32(0.1), None]).astype("Float32"), ["0.1", ""])
        self.expect(pd.Series(pd.arrays.SparseArray(values)), ["0.1", "9.99"])

    @unittest.skipIf(pa is None, "pyarrow is not installed")
    def test_series_that_pandas_holds_as_arrow_does(self):
        texts = ["a", None, "é"]
        for dtype in ("string[pyarrow]", "str"):
            if dtype == "str" and int(pd.__version__.split(".")[0]) < 3:
                continue  # pandas holds objects
            series = pd.Series(texts, dtype=dtype)
            self.expect(series, ["a", "", "é"])
            self.expect(series[::-1], ["é", "", "a"])
            self.expect(pd.concat([series, series]), ["a", "", "é"] * 2)
            self.expect(series[:0], [])
        kinds = [(pa.int32(), [1, None], ["1", ""]), (pa.float32(), [0.1, None], ["0.1", ""]), (pa.bool_(), [True, None], ["true", ""]),
                 (pa.dictionary(pa.int8(), pa.string()), ["x", None], ["x", ""])]
        for kind, values, expected in kinds:
            with self.subTest(kind):
                self.expect(pd.Series(values, dtype=pd.ArrowDtype(kind)), expected)
        with self.assertRaisesRegex(widehash.ConfigError, "column 'values' has the Arrow type 'duration"):
            hashes(pd.Series(pa.array([1], pa.duration("us")), dtype=pd.ArrowDtype(pa.duration("us"))))

    def test_times_are_texts_as_files_have_them(self):
        texts = ["2026-01-02 03:04:05.25", "", "1969-12-31 23:59:59", "2026-01-02 00:00:00"]
        array = np.array([text or "NaT" for text in texts], dtype="M8[ns]")
        for unit in ("s", "ms", "us", "ns"):
            expected = [text.removesuffix(".25") for text in texts] if unit == "s" else texts
            with self.subTest(unit):
                self.expect(array.astype(f"M8[{unit}]"), expected)
                self.expect(array.astype(f">M8[{unit}]")[::-1], expected[::-1])
        times = pd.Series(array)
        self.expect(times, texts)
        self.expect(times[::-1], texts[::-1])
        self.expect(times.dt.tz_localize("UTC"), texts)
        self.expect(pd.Series(pa.array(times), dtype=pd.ArrowDtype(pa.timestamp("us"))), texts)
        self.expect(pd.Series(list(times), dtype=object), texts)
        self.expect(list(times.dt.tz_localize("UTC")), texts)
        self.expect(np.array(["2026-01-02", "NaT", "1969-12-31"], dtype="M8[D]"), ["2026-01-02", "", "1969-12-31"])
        self.expect(np.array(["2026-01"], dtype="M8[M]"), ["2026-01-01"])
        self.expect(np.array(["2026-01-02T03"], dtype="M8[h]"), ["2026-01-02 03:00:00"])
        self.expect(np.array(["2026-01-02T03:04:30"], dtype="M8[30s]"), ["2026-01-02 03:04:30"])
        self.expect([datetime.datetime(2026, 1, 2, 3, 4, 5, 250000), None, datetime.date(2026, 1, 2)],
                    ["2026-01-02 03:04:05.25", "", "2026-01-02"])
        self.expect([datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)], ["2026-01-02 03:04:05"])
        self.expect([np.datetime64("2026-01-02"), np.datetime64("2026-01-02T03:04:05.250"), np.datetime64("NaT"),
                     np.datetime64("2026-01-02T03:04:05.000000001"), np.datetime64("2026-01"), np.datetime64("2026-01-02T03"),
                     np.datetime64("2026-01-02T03:04:30", "30s"), "x"],
                    ["2026-01-02", "2026-01-02 03:04:05.25", "", "2026-01-02 03:04:05.000000001", "2026-01-01",
                     "2026-01-02 03:00:00", "2026-01-02 03:04:30", "x"])

    def test_times_in_masked_arrays_and_lists_have_the_same_texts(self):
        texts = ["2026-01-02 03:04:05.000000007", "", "1969-12-31 23:59:59", "2026-01-02 00:00:00"]
        array = np.array([text or "NaT" for text in texts], dtype="M8[ns]")
        for unit, of_unit in [("D", [text[:10] for text in texts]), ("s", [text.partition(".")[0] for text in texts]), ("ns", texts)]:
            times = array.astype(f"M8[{unit}]")
            with self.subTest(unit):
                self.expect(np.ma.array(times), of_unit)
                self.expect(np.ma.array(times, mask=[False, False, True, False]), [*of_unit[:2], "", of_unit[3]])
                self.assertEqual(rows_of_lists([times, times[2:], None]), rows_of_lists([[text or None for text in of_unit], of_unit[2:], None]))
        masked = np.ma.array(array, mask=[False, False, True, False])
        self.assertEqual(rows_of_lists([masked]), rows_of_lists([[texts[0], None, None, texts[3]]]))
        self.assertEqual(rows_of_lists([np.ma.array([0.5, 7.0], mask=[False, True])]), rows_of_lists([[0.5, None]]))
        seconds = np.array(["2026-01-02T03:04:05.250"], "M8[us]")
        self.assertEqual(rows_of_lists([seconds]), rows_of_lists([["2026-01-02 03:04:05.25"]]))
        for unit in ("ns", "us"):
            durations = np.array([5], dtype=f"m8[{unit}]")
            with self.assertRaisesRegex(widehash.ConfigError, "timedelta64"):
                hashes(np.ma.array(durations))
            with self.assertRaisesRegex(widehash.ConfigError, "column 'tags', row 2: an array of the type timedelta64.*convert it to text"):
                rows_of_lists([[], durations])

    def test_times_whose_hour_is_one_of_several_are_refused(self):
        times = pd.Series(pd.to_datetime(["2026-01-02"])).dt.tz_localize("Europe/Oslo")
        with self.assertRaisesRegex(widehash.ConfigError, "Europe/Oslo.*tz_localize\\(None\\)"):
            hashes(times)
        with self.assertRaisesRegex(widehash.ConfigError, "row 1: a value of type Timestamp in a time zone"):
            hashes(list(times))
        an_hour = datetime.timezone(datetime.timedelta(hours=1))
        with self.assertRaisesRegex(widehash.ConfigError, "row 1: a value of type datetime.datetime in a time zone"):
            hashes([datetime.datetime(2026, 1, 2, tzinfo=an_hour)])
        with self.assertRaisesRegex(widehash.ConfigError, "datetime64\\[ps\\]"):
            hashes(np.array(["2026-01-02"], dtype="M8[ps]"))

    def test_parts_of_times_are_features_of_a_frame(self):
        schema = widehash.parse_schema('[[feature]]\nfield = "t"\ntime_part = "hour"\ncardinality = 24\n'
                                       '[[feature]]\nfield = "t"\ntime_part = "weekday"\ncardinality = 7\n')
        times = pd.Series(pd.date_range("2026-01-01", periods=1000, freq="97min"))
        plain = widehash.make_schema({"h": 24, "w": 7})
        expected = widehash.Encoder(plain).encode({"h": times.dt.hour, "w": times.dt.isocalendar().day}).csr()
        for column in (times, list(times.astype(str)), pa.array(times), times.astype("category")):
            self.assertEqual((widehash.Encoder(schema).encode({"t": column}).csr() != expected).nnz, 0)

    def test_names_of_columns_need_not_be_text(self):
        schema = widehash.make_schema({"0": 10})
        frame = pd.DataFrame({0: ["a", "b"]})
        self.assertEqual(len(widehash.Encoder(schema).encode(frame)), 2)


if __name__ == "__main__":
    unittest.main()
