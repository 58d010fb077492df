"""Counts with structural properties, or for the worst input: less work than the whole program.

diagonal  few counts: the largest diagonal that the middle row allows
ends      many counts: a program for each end of the line
game      many counts and the worst input: a randomized relabeling
"""
