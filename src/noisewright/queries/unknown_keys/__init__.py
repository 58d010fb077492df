"""Keys that are not known beforehand: which of those in the data may be shown."""
