"""The sliders and the table of codes beside their rivals."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "notebooks"))
