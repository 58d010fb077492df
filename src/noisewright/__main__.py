"""`python -m noisewright` is `noisewright`, where scripts are not on the path."""

from noisewright.cli import main

if __name__ == "__main__":
    main()
