"""Hash categorical tables into sparse matrices and train wide networks on them.

    import widehash

    schema = widehash.load_schema("schema.toml")
    x = widehash.Encoder(schema).encode(frame).csr()       # a data frame, an Arrow table, a mapping of columns
    probabilities = widehash.Model("clicks.model").predict(frame)

The package hashes values exactly as the `widehash` program does, so the two can share
codes, datasets, lookup tables and models.
"""

from .effects import Effects
from .errors import (CommError, ConfigError, DataError, DeviceError, Error, FileError, ForbiddenFileError, MissingFileError,
                     ShapeError, Stopped)
from ._core import Schema, __version__
from .batch import Batch
from .dataset import Batches, Dataset
from .describing import describe
from .encoding import Encoder, folds_of, hash_values
from .exporting import export
from .ingest import audit, compare, fit, inspect, transform, verify
from .judging import evaluate, explain, predict
from .machine import devices
from .metrics import CalibrationBin, ClassMetrics, Comparison, FieldMetrics, GroupMetrics, MetricsReport, OperatingPoint, ValueMetrics
from .model import Model
from .reports import (CudaDevice, DevicesReport, ExportReport, FeatureAudit, FeatureChange, FeatureEffects, FieldReport, FitReport, InspectReport, Moments,
                      NumberChange, Progress, SplitAudit, TableItem, TransformReport, ValueChange, ValueEffect, VerifyModelReport, VerifyReport,
                      VerifyTablesReport)
from .schema import load_schema, make_schema, parse_schema
from .tables import LookupTable, LookupTables
from .training import train
from .training_reports import DeviceReport, EpochReport, LabelMoments, LabelShift, OptimizerSettings, TrainReport
from .writing import DatasetWriter, LookupTablesWriter

__all__ = [
    "__version__", "Batch", "Batches", "CalibrationBin", "ClassMetrics", "CommError", "Comparison", "ConfigError", "CudaDevice", "DataError", "Dataset", "DatasetWriter", "DeviceError",
    "DeviceReport", "DevicesReport", "Effects", "Encoder", "EpochReport", "Error", "ExportReport", "FeatureAudit", "FeatureChange", "FeatureEffects", "FieldMetrics", "FieldReport", "FileError",
    "FitReport", "ForbiddenFileError", "GroupMetrics", "InspectReport", "LabelMoments", "LabelShift", "LookupTable", "LookupTables", "LookupTablesWriter", "MetricsReport", "MissingFileError",
    "Model", "Moments", "NumberChange", "OperatingPoint", "OptimizerSettings", "Progress", "Schema", "ShapeError", "SplitAudit", "Stopped", "TableItem", "TrainReport", "TransformReport",
    "ValueChange", "ValueEffect", "ValueMetrics", "VerifyModelReport", "VerifyReport", "VerifyTablesReport", "audit", "compare", "describe", "devices", "evaluate", "explain", "export", "fit",
    "folds_of", "hash_values", "inspect", "load_schema", "make_schema", "parse_schema", "predict", "train", "transform",
    "verify",
]
