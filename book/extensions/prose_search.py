"""What the book adds to Sphinx for its search: it does not look into folded code."""

from myst_nb.sphinx_ import HideCodeCellNode


def leave_out_folds(app, doctree, docname):
    for fold in doctree.findall(HideCodeCellNode):
        fold["classes"].append("no-search")


def setup(app):
    app.connect("doctree-resolved", leave_out_folds)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
