import pytest


def pytest_collection():
    raise pytest.UsageError('call: pytest tests/run -k "pictures and 04_"')
