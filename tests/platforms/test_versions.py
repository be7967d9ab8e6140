"""An environment of noxfile.py holds the versions that it promises."""

import os
import sys
from importlib.metadata import PackageNotFoundError, version

import pytest
from packaging.requirements import Requirement
from packaging.version import Version
from pythons import requirements

SESSION = os.environ.get("NOX_CURRENT_SESSION")


def only_in(session):
    return pytest.mark.skipif(session != SESSION, reason=f"for `nox -s {session}`")


@only_in("colab")
def test_colab_s_set_is_exactly_colab_s():
    lines = requirements("tests/platforms/colab.txt")
    promised = dict(line.split("==") for line in lines)
    assert {package: version(package) for package in promised} == promised


@only_in("colab")
@pytest.mark.parametrize("package", ["jupyterlab", "ipympl"])
def test_colab_s_set_lacks_what_colab_lacks(package):
    with pytest.raises(PackageNotFoundError):
        version(package)


@only_in("lowest")
@pytest.mark.parametrize("line", requirements("requirements.txt"))
def test_the_lowest_versions_are_those_of_the_requirements(line):
    package = Requirement(line)
    if package.name in ("numpy", "matplotlib") and sys.version_info >= (3, 13):
        pytest.skip("its lowest version has no wheel for so new a Python")
    (low,) = [part.version for part in package.specifier if part.operator == ">="]
    assert Version(version(package.name)) == Version(low)
