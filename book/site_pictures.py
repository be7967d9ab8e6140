"""Pictures and frames in the site: their addresses, and their sizes in both shapes.

Pages and decks give these values to their templates.
"""

from render.narrow import DPI as DPI_NARROW
from render.prerender import DPI_STILL, SHAPES, size_on_page
from tools.chapters import explorer_metadata, still_metadata


def in_site(cell, name, drawing, site=""):
    """What shows each picture and each explorer that a cell of a chapter puts out.

    For each a tuple: the output; the values for its template, which complete what the
    output's metadata say, with addresses below `site`; and by its address, each file or
    folder of the drawing that belongs there.
    """
    for number, output in enumerate(cell.get("outputs", [])):
        if explorer := explorer_metadata(output):
            folder = f"{site}frames/{name}/{cell.id}/"
            start = f"{explorer['start']}.webp"
            frames = drawing / explorer["folder"]
            slim = (frames / "narrow" / start).read_bytes()
            values = {**explorer, "folder": folder, "source": folder + start}
            values |= size_on_page((frames / start).read_bytes())
            values["narrow"] = narrow_of(slim, f"{folder}narrow/{start}")
            files = {folder: frames}
        elif still := still_metadata(output):
            address = f"{site}figures/{name}/{cell.id}-{number}"
            paths = {s: drawing / still["files"][s] for s in SHAPES}
            values = {**still, "source": f"{address}.webp"}
            values |= size_on_page(paths["wide"].read_bytes(), DPI_STILL)
            slim = paths["narrow"].read_bytes()
            values["narrow"] = narrow_of(slim, f"{address}-narrow.webp")
            files = {values["source"]: paths["wide"]}
            files[values["narrow"]["source"]] = paths["narrow"]
        else:
            continue
        yield output, values, files


def narrow_of(file, source):
    return {"source": source, **size_on_page(file, DPI_NARROW)}
