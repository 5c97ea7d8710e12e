"""What each kind of run found: a tagged struct, which is its summary.json and the JSON of `--json`."""

from lieapp.results.augment import Augment, Classifiers, Operators
from lieapp.results.pictures import PictureDiscovery
from lieapp.results.training import Network, Training

__all__ = ["Augment", "Classifiers", "Network", "Operators", "PictureDiscovery", "Training"]
