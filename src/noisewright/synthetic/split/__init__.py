"""Sets of items and curves as several columns each, and rows put back together from them."""
