"""Hu and Zhou, "Differential privacy: a survey" (2017).

Its definitions, examples and theorems are computed again, and the claim is put beside what comes
out. `noisewright reproduce survey` or `python papers/survey/run.py` writes the page.

Letters as in the survey: a database x or D of n rows; candidates R with a quality q of sensitivity
Δ; a universe X; synthetic databases of m records; k counting queries; α their largest error.
"""
