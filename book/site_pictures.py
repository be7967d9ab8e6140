"""Pictures and frames in the site: their addresses, and their sizes in both shapes.

Pages and decks give these values to their templates.
"""

from io import BytesIO

import numpy as np
from PIL import Image, ImageOps

from render.narrow import DPI as DPI_NARROW
from render.prerender import DPI_STILL, SHAPES, ink_of, size_on_page
from tools.chapters import explorer_of, still_of

WHITE = 6  # of 100 pixels an inch: what stays of the white above and below a picture
SIDE, RIM = 240, 16  # pixels: a sign, and the white around what is no map
DPI = {"wide": DPI_STILL, "narrow": DPI_NARROW}


def in_site(cell, name, drawing, site=""):
    """What shows each picture and each explorer that a cell of a chapter puts out.

    For each a tuple: the output; the values for its template, which complete what the
    output's metadata say, with addresses below `site`; and by its address, each file or
    folder of the drawing that belongs there.
    """
    paper = cell.metadata.get("paper")  # it stays on paper as a whole, or not at all
    for number, output in enumerate(cell.get("outputs", [])):
        if explorer := explorer_of(output):
            folder = f"{site}frames/{name}/{cell.id}/"
            start = f"{explorer['start']}.webp"
            frames = drawing / explorer["folder"]
            slim = (frames / "narrow" / start).read_bytes()
            values = {**explorer, "folder": folder, "source": folder + start}
            values |= size_on_page((frames / start).read_bytes())
            values["narrow"] = narrow_of(slim, f"{folder}narrow/{start}")
            values["maps"] = {s: explorer["layouts"][s]["maps"] for s in SHAPES}
            files = {folder: frames}
        elif still := still_of(output):
            address = f"{site}figures/{name}/{cell.id}-{number}"
            paths = {s: drawing / still["files"][s] for s in SHAPES}
            shown = {s: paths[s].read_bytes() for s in SHAPES}
            rows = {s: rows_of(shown[s], DPI[s]) for s in SHAPES}
            values = {**still, "source": f"{address}.webp"}
            values |= size_on_page(shown["wide"], DPI["wide"])
            values["narrow"] = narrow_of(shown["narrow"], f"{address}-narrow.webp")
            values["crop"] = "; ".join(crop(s, *rows[s]) for s in SHAPES)
            maps = {s: still["layouts"][s]["maps"] for s in SHAPES}
            values["maps"] = {s: in_rows(maps[s], *rows[s][1:]) for s in SHAPES}
            files = {values["source"]: paths["wide"]}
            files[values["narrow"]["source"]] = paths["narrow"]
        else:
            continue
        if paper is not None:
            values["maps"] = {s: [] for s in SHAPES}
        about = {"id": f"{cell.id}-{number}", "paper": bool(paper)}
        yield output, values | about, files


def narrow_of(file, source):
    return {"source": source, **size_on_page(file, DPI["narrow"])}


def rows_of(file, dpi):
    """A picture's width, its height, and which rows a page shows: from, to.

    Much white above or below a picture would tear it from its words.
    """
    image = Image.open(BytesIO(file))
    _, top, _, bottom = ink_of(image)
    rim = round(WHITE * dpi / 100)
    return *image.size, max(0, top - rim), min(image.height, bottom + rim)


def crop(shape, width, height, top, bottom):
    """Variables of CSS that show these rows of a picture."""
    left_out = height - (bottom - top)
    at = round(100 * top / left_out, 1) if left_out else 0
    return f"--{shape}-ratio: {width} / {bottom - top}; --{shape}-at: {at}%"


def in_rows(boxes, height, top, bottom):
    """Boxes in a picture, as shares of the rows that a page shows."""
    scale, above = height / (bottom - top), top / (bottom - top)
    return [
        [left, round(y * scale - above, 4), width, round(high * scale, 4)]
        for left, y, width, high in boxes
    ]


def put_sign(nb, name, drawing, site):
    """Write a chapter's sign, the first panel of its first picture, into the site.

    Where that is a strip, the whole picture, both without small words. Returns whether
    the sign is a map.
    """
    pictures = (
        picture for cell in nb.cells for picture in in_site(cell, name, drawing)
    )
    output, values, files = next(pictures)
    if explorer_of(output):
        shape, file = "wide", files[values["folder"]] / f"{values['start']}.webp"
    else:
        shape, file = "narrow", drawing / "sign.webp"
    layout = values["layouts"][shape]
    sign = Image.open(file).convert("RGB")
    left, top, width, height = np.multiply(layout["panels"][0], sign.size * 2)
    if width < 2 * height:
        sign = sign.crop((left, top, left + width, top + height))
    is_map = layout["panels"][0] in layout["maps"] and bool(values["maps"][shape])
    if is_map:
        sign = ImageOps.fit(sign, (SIDE, SIDE), centering=(0, 0))
    else:
        sign = ImageOps.pad(
            sign.crop(ink_of(sign)), (SIDE - 2 * RIM,) * 2, color="white"
        )
        sign = ImageOps.expand(sign, RIM, "white")
    (site / "figures" / name).mkdir()
    sign.save(site / "figures" / name / "small.webp", quality=80)
    return is_map
