"""Tables read, randomized and written in streams: on one machine, or on Spark."""
