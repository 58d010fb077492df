"""Drawings inside of a page: SVG by our own templates, which needs no library and no process."""
