"""A design as a linear program: written down, solved by HiGHS, sharpened, repaired to integers."""
