"""PySpark's daemon, from which it forks its workers, after it has drawn from our entropy."""

import runpy

from noisewright.sampling import default_source

default_source().words(1)

if __name__ == "__main__":
    runpy.run_module("pyspark.daemon", run_name="__main__", alter_sys=True)
