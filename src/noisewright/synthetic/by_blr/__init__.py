"""BLR: one draw among all small databases, by the exponential mechanism (Blum–Ligett–Roth 2008)."""
