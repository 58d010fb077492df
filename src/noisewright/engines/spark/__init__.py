"""Spark: the same plan on a cluster, with each row drawn exactly once whatever is retried."""

from noisewright.engines.spark.session import active_session, is_spark_frame
from noisewright.engines.spark.table import PART, SparkCheck, SparkTable, open_spark

__all__ = ["PART", "SparkCheck", "SparkTable", "active_session", "is_spark_frame", "open_spark"]
