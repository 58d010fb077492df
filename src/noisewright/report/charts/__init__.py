"""Charts of mechanisms and of what they cost, drawn by Altair for notebooks and files."""
