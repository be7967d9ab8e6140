"""The small models that chapter 9 reads from notebooks/trained."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "notebooks"))
