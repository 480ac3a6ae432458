"""Data frames of pandas, polars and pyarrow, handed over as Arrow streams, give the trees of the CSV files that they were read from.

Two tables: simulated logs of the diagnosis task in random order, and a synthetic cohort with dates, numbers that are cut into classes, empty cells and
columns that have no role. Needs pyarrow; pandas and polars are tried where they are. tests/long/frames.sh installs them.
"""
import ctypes
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["ASIF_SOURCE"], "tests", "oracle"))
try:
    import pyarrow
    import pyarrow.csv
except ImportError:
    print("pyarrow is not here")
    sys.exit(77)
from library import Error, LogsOptions, library  # noqa: E402

SOURCE = os.environ["ASIF_SOURCE"]
UNITS_SUBJECTS = 1


class Reader:
    """Reads tables with the mapping and the labels of a study."""

    def __init__(self, study):
        self.lib, self.context, self.study = library(), ctypes.c_void_p(), ctypes.c_void_p()
        self.call("asif_context_create", ctypes.byref(self.context), None)
        with open(study, "rb") as f:
            text = f.read()
        self.call("asif_study_read_unlearnt", ctypes.byref(self.study), self.context, text, ctypes.c_uint64(len(text)), study.encode(), None)
        self.options = LogsOptions(ctypes.sizeof(LogsOptions), self.lib.asif_study_logs(self.study), self.lib.asif_study_setting(self.study), UNITS_SUBJECTS)

    def call(self, name, *args):
        error = Error()
        if getattr(self.lib, name)(*args, ctypes.byref(error)) != 0:
            raise SystemExit(f"{name}: row {error.row}, column {error.column}: {error.message.decode()}")

    def bytes(self, tree):
        text, length = ctypes.c_void_p(), ctypes.c_uint64()
        self.call("asif_tree_bytes", ctypes.byref(text), ctypes.byref(length), tree)
        made = ctypes.string_at(text, length.value)
        self.lib.asif_memory_free(self.context, text)
        self.lib.asif_tree_free(tree)
        return made

    def of_file(self, path):
        tree = ctypes.c_void_p()
        self.call("asif_logs_read", ctypes.byref(tree), self.context, path.encode(), ctypes.byref(self.options), None, None)
        return self.bytes(tree)

    def of_frame(self, frame):
        """The tree of anything that gives an Arrow stream."""
        capsule, tree = frame.__arrow_c_stream__(), ctypes.c_void_p()
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        stream = ctypes.c_void_p(get(capsule, b"arrow_array_stream"))
        self.call("asif_logs_read_arrow", ctypes.byref(tree), self.context, stream, b"frame", ctypes.byref(self.options), None, None)
        return self.bytes(tree)


def frames(path):
    """The table as the data frames of several libraries, with the types that each chooses for its columns, and with others."""
    table = pyarrow.csv.read_csv(path)
    yield "pyarrow", table
    yield "pyarrow, dictionaries", pyarrow.table({name: (column.dictionary_encode() if pyarrow.types.is_string(column.type) else column)
                                                  for name, column in zip(table.column_names, table.columns)})
    yield "pyarrow, small pieces", pyarrow.Table.from_batches(table.to_batches(max_chunksize=97))
    yield "pyarrow, a part of a larger table", pyarrow.concat_tables([table.slice(0, 5), table]).slice(5)
    try:
        import pandas
        yield "pandas", pandas.read_csv(path)
        yield "pandas, categories", pandas.read_csv(path).apply(lambda c: c.astype("category") if c.dtype == object else c)
        yield "pandas, dates", pandas.read_csv(path).apply(lambda c: pandas.to_datetime(c) if c.name.startswith("EXAMDATE") else c)
    except ImportError:
        print("pandas is not here")
    try:
        import polars
        yield "polars", polars.read_csv(path, infer_schema_length=None)
        yield "polars, dates", polars.read_csv(path, infer_schema_length=None, try_parse_dates=True)
        yield "polars, categories", polars.read_csv(path, infer_schema_length=None).with_columns(polars.col(polars.String).cast(polars.Categorical))
    except ImportError:
        print("polars is not here")


def compare(name, study, path):
    reader = Reader(study)
    want, wrong = reader.of_file(path), 0
    for kind, frame in frames(path):
        same = reader.of_frame(frame) == want
        wrong += not same
        print(f"{name}, {kind}: {'the same bytes' if same else 'OTHER BYTES'} ({len(want):,})")
    return wrong


def main():
    wrong = 0
    study = os.path.join(SOURCE, "examples", "diag", "study.yaml")
    with tempfile.TemporaryDirectory() as folder:
        logs = os.path.join(folder, "logs.csv")
        subprocess.run([os.environ["ASIF"], "simulate", study, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0", "-n", "300", "--max-steps", "12",
                        "--seed", "1", "-q", "-o", logs], check=True)
        with open(logs) as f:
            header, *rows = f.readlines()
        random.Random(1).shuffle(rows)
        with open(logs, "w") as f:
            f.writelines([header, *rows])
        wrong += compare("diagnosis", study, logs)
    cohort = os.path.join(os.environ.get("ASIF_ORACLE", ""), "..", "dementia", "cohort_small.csv")
    if os.path.exists(cohort):
        wrong += compare("cohort", os.path.join(SOURCE, "examples", "dementia", "adni.yaml"), cohort)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
