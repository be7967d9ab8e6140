import sys
from pathlib import Path

import matplotlib

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "notebooks"))
matplotlib.use("Agg")
