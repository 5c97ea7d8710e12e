"""What each kind of run found: a tagged struct, which is its summary.json and the JSON of `--json`."""

# results are read by their tags, so that all kinds must be there
from lieapp.results import augment, check, discovery, pictures, training, truth  # noqa: F401
