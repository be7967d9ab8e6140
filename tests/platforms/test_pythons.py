"""`nox` finds a Python for every session, however few there are."""

import sys

import pytest
from pythons import choose, installed, understand

FIRST, COLAB, LAST = (3, 11), (3, 13), (3, 14)


@pytest.mark.parametrize(
    "versions, colab, lowest, newest",
    [
        ([(3, 9), FIRST, (3, 12), COLAB, LAST], COLAB, FIRST, LAST),
        ([LAST, FIRST], FIRST, FIRST, LAST),
        ([FIRST], FIRST, FIRST, FIRST),
        ([LAST], LAST, LAST, LAST),
        ([(3, 15), LAST], LAST, LAST, (3, 15)),
    ],
    ids=["all", "not Colab's", "one old", "one new", "new ones"],
)
def test_every_session_gets_a_python(versions, colab, lowest, newest):
    chosen = choose(versions)
    assert chosen["colab"] == colab
    assert chosen["lowest"] == lowest
    assert chosen["newest"] == newest
    assert chosen["binder"] in versions


def listed(version, path, implementation="cpython", variant="default"):
    """A Python, as uv tells of it."""
    major, minor = version.split(".")[:2]
    return {
        "version": version,
        "path": path,
        "variant": variant,
        "implementation": implementation,
        "version_parts": {"major": int(major), "minor": int(minor)},
    }


def test_unusual_pythons_are_left_alone():
    found = understand(
        [
            listed("3.15.0a1", "early"),
            listed("3.14.0", "threads", variant="freethreaded"),
            listed("3.11.9", "pypy", implementation="pypy"),
            listed("3.12.1", "first"),
            listed("3.12.0", "second"),
        ]
    )
    assert found == {(3, 12): "first"}


def test_this_python_is_there_even_if_uv_finds_none(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert installed()[sys.version_info[:2]] == sys.executable
