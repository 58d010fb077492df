class BinTree:
    sizes = (4,)
    @classmethod
    def of(cls, n): return cls()
