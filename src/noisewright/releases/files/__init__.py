"""What a release is on disk: its names, its recipe, and the folder where it is made."""
