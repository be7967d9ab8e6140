"""Which code stands open on a page of the book, which is folded, and where."""

from tools.chapters import in_deck, is_call, outputs_of, tags

LONG = 12  # lines: as much as a slide may have
SETUP = "Set-up"  # what stands at folded code that draws nothing


def fold(cell):
    """Tell Sphinx which code is folded on a page, and what is left out."""
    marks = set(tags(cell))
    if is_call(cell) or "check" in marks:
        marks.add("remove-input")
    hidden = cell.metadata.get("jupyter", {}).get("source_hidden")
    is_long = cell.source.count("\n") >= LONG
    aside = not shows_code(cell) and (is_long or "no-code-on-slide" in marks)
    if hidden or aside or "imports" in marks:
        marks.add("hide-input")
    cell.metadata["tags"] = sorted(marks)


def shows_code(cell):
    """Whether a slide shows the code of a cell, or a reader is to write in it."""
    on_slide = in_deck(cell) and "no-code-on-slide" not in tags(cell)
    return on_slide or "exercise" in tags(cell)


def with_few_folds(cells):
    """These cells; code that is folded and shows nothing goes to the next picture.

    It draws that, mostly. Where open code or an exercise comes first, it stands there.
    """
    placed, waiting = [], []
    for cell in cells:
        if "hide-input" in tags(cell) and not cell.outputs:
            waiting.append(cell)
            continue
        if waiting and has_picture(cell):
            cell = as_fold([*waiting, cell])
            waiting = []
        elif waiting and (cell.cell_type == "code" or "exercise-text" in tags(cell)):
            placed.append(as_fold(waiting))
            waiting = []
        placed.append(cell)
    return [*placed, as_fold(waiting)] if waiting else placed


def as_fold(cells):
    """The last of these cells, folded, with the code of all."""
    last = cells[-1]
    last.source = "\n\n".join(cell.source.strip() for cell in cells)
    last.metadata["tags"] = ["hide-input"]
    if not last.outputs:
        last.metadata["mystnb"] = {"code_prompt_show": SETUP, "code_prompt_hide": SETUP}
    return last


def has_picture(cell):
    """Whether a cell shows a picture, without asking."""
    shown = [output.get("metadata", {}) for output in outputs_of([cell])]
    return any("picture" in about or "explorer" in about for about in shown)
