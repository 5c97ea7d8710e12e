"""`python -m lieapp`, the same as `lieapp`."""

from lieapp.cli.main import main

if __name__ == "__main__":
    main()
