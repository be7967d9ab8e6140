"""What the book adds to Sphinx for exercises: each is one box, up to its last row.

The box is the section in which a reader is to write an answer. What a chapter goes on
with below the solution leaves that section.
"""

from docutils import nodes


def box_exercises(app, doctree):
    for cell in list(doctree.findall(nodes.container)):
        if "tag_exercise" not in cell["classes"]:
            continue
        section = cell.parent
        section["classes"].append("exercise")
        rows = [i for i, node in enumerate(section) if 'class="try"' in node.astext()]
        end = max(rows, default=len(section)) + 1
        others = section.children[end:]
        del section[end:]
        place = section.parent.index(section) + 1
        section.parent[place:place] = others


def setup(app):
    app.connect("doctree-read", box_exercises)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
