"""Runs a chapter's tests of pictures; each picture must be asked for by one of them."""

from unittest.mock import patch

from tests.support import probe


class Asked(dict):
    """A dictionary that keeps the names it was asked for."""

    names = set()

    def __getitem__(self, name):
        self.names.add(name)
        return super().__getitem__(name)


class PictureTests(probe.PictureTests):
    def __init__(self, names):
        super().__init__(
            names | {kind: Asked(names[kind]) for kind in ("cell", "said")}
        )

    def pytest_sessionfinish(self):
        unread = [name for name in self.names["cell"] if name not in Asked.names]
        if unread and not any(self.faults.values()):  # a test that failed asks for less
            self.faults["pictures"] = f"no test looks at: {', '.join(unread)}"


def complaints(tests, cells):
    with patch.object(probe, "PictureTests", PictureTests):
        return probe.complaints(tests, cells)
