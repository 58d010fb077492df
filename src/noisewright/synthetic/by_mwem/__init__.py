"""MWEM: round by round, what is answered worst is counted (Hardt–Ligett–McSherry 2012)."""
