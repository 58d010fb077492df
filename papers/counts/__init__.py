"""Cormode, Kulkarni and Srivastava, "Constrained Private Mechanisms for Count Data".

Every figure, example, lemma and theorem is computed again, and the paper's claim is put beside
what comes out. `python papers/counts/run.py` or `noisewright reproduce counts` writes the page.

Letters as in the paper: n people, α = e^-ε, i an output and j an input, P(i|j); in our matrices
rows are inputs, so that M[j, i] = P(i|j).
"""
