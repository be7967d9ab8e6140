"""The examples in the documentation of the chapters' modules are true."""

import doctest
from importlib import import_module

import matplotlib.pyplot as plt
import pytest

from tools.chapters import MODULES

WITHOUT = {"course", "course.speech"}  # examples


@pytest.fixture
def quiet(monkeypatch):
    for module in ("proofs", "questions", "pictures"):
        monkeypatch.setattr(f"course.{module}.display", lambda *shown, **how: None)
    yield
    plt.close("all")


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_the_documentation_are_true(name, quiet):
    failed, tried = doctest.testmod(import_module(name))
    assert not failed
    assert tried or name in WITHOUT, f"{name} shows no example"
