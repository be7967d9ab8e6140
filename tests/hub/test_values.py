"""hub/values.yaml against the schema of its chart, as helm would check it."""

import json

import yaml
from jsonschema import Draft7Validator

from tools.chapters import ROOT


def test_the_chart_takes_our_values():
    ours = yaml.safe_load((ROOT / "hub/values.yaml").read_text("utf-8"))
    schema = json.loads((ROOT / "tests/hub/z2jh/values.schema.json").read_text("utf-8"))
    faults = [
        f"{fault.json_path}: {fault.message}"
        for fault in Draft7Validator(schema).iter_errors(ours)
        if fault.validator != "required"  # what we do not set, the chart does
    ]
    assert faults == []
