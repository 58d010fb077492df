from .sampling import SeededSource as SeededSource, SystemSource as SystemSource
