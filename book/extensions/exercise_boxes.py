"""What the book adds to Sphinx for exercises: each is one box, up to its last row.

The box is the section with the heading of the exercise. What a chapter goes on with
below the solution leaves that section.
"""

from docutils import nodes


def box_exercises(app, doctree):
    for section in list(doctree.findall(nodes.section)):
        if not section[0].astext().startswith("Exercise "):
            continue
        section["classes"].append("exercise")
        last = next(
            i for i, node in enumerate(section) if 'class="try"' in node.astext()
        )
        others = section.children[last + 1 :]
        del section[last + 1 :]
        place = section.parent.index(section) + 1
        section.parent[place:place] = others


def setup(app):
    app.connect("doctree-read", box_exercises)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
