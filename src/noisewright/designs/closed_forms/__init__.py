"""Problems whose best mechanism is known on paper, each with the dual values that prove it.

explicit_fair         L0 with fairness, or for the worst input: EM, for even and odd n
randomized_response   L0 where every two points are neighbors
relabeling            any expected loss on counts: the geometric mechanism, relabeled
sets, set_duals       losses on all subsets of some items
"""
