"""MST: pairs of columns chosen in private, counted, and fitted (McKenna–Miklau–Sheldon 2021)."""
