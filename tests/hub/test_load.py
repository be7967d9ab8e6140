"""What hub/README.md says of a class is what was measured."""

import json
import sys

from chapters import ROOT

sys.path.append(str(ROOT / "hub"))
import needs

FOUND = json.loads((ROOT / "hub" / "load.json").read_text("utf-8"))


def test_the_tables_of_the_page_are_those_of_the_measurement():
    assert needs.page_with(FOUND) == needs.PAGE.read_text("utf-8")


def test_no_student_of_the_measurement_failed():
    assert [row["failures"] for row in FOUND["rows"]] == [[]] * len(FOUND["rows"])


def test_a_thousand_students_need_more_than_thirty():
    table = needs.extrapolated(FOUND["rows"], FOUND["installed"]).partition("\n\n")[0]
    rows = [list(map(float, line.split("|")[1:-1])) for line in table.splitlines()[2:]]
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    assert all(more >= less for less, more in zip(rows[0], rows[-1]))
    memory = rows[0][2] * 1024  # MiB, of thirty at once
    assert memory < 24 * 1024 and rows[0][3] < 4  # what the page says is enough
    assert memory > rows[0][1] * FOUND["rows"][-1]["peak"]
