"""What a run may spend, the noise that it buys, and the steps that touch the data."""
