"""Problems whose best mechanism is known on paper, each with the dual values that prove it.

zero_one         L0 on counts, fair or for the worst input; L0 where every two points are neighbors
relabeling       any expected loss on counts: the geometric mechanism, relabeled
sets, set_duals  losses on all subsets of some items
"""
