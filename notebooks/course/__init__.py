"""What moves the pictures of the course, and asks its questions.

    from course import draw, explore, show, check, predict

A name is looked up in its module when it is first used, so that sympy, which `prove`
needs, is loaded only where something is proved.
"""

import importlib

import numpy as np

# A start-up file may let numpy raise where its result is right: exp(-800) is 0.
np.seterr(all="warn", under="ignore")  # as numpy comes

_MODULE_OF = {
    "explore": "explorer",
    "show": "pictures",
    "predict": "questions",
    "check": "questions",
    "prove": "proofs",
    "WISHES": "wishes",
    "wishes_of": "wishes",
    "DATA": "trained_models",
    "read_trained": "trained_models",
    "select_trained": "trained_models",
    "read_positions": "configs",
}
__all__ = ["draw", *_MODULE_OF]


def __getattr__(name):
    if name == "draw":
        return importlib.import_module("course.draw")
    if name in _MODULE_OF:
        return getattr(importlib.import_module(f"course.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"course has {', '.join(__all__)}; not {name}")
