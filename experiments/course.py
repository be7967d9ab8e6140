"""What the experiments take from the course's own notebooks/utils.py."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NOTEBOOKS = HERE.parent / "notebooks"
sys.path.insert(0, str(NOTEBOOKS))
from utils import (  # noqa: E402
    TRAINED_VERSION,
    frequencies,
    positional_encoding,
    read_trained,
    rotations_of,
    shift_matrix,
)

__all__ = [
    "HERE",
    "NOTEBOOKS",
    "TRAINED_VERSION",
    "frequencies",
    "positional_encoding",
    "read_trained",
    "rotations_of",
    "shift_matrix",
]
