"""Pictures and frames in the site: their addresses, and their sizes in both shapes.

Pages and decks give these values to their templates.
"""

from io import BytesIO

from PIL import Image, ImageOps

from render.narrow import DPI as DPI_NARROW
from render.prerender import DPI_STILL, SHAPES, explorer_of, size_on_page
from tools.chapters import picture_of

WHITE = 6  # of 100 pixels an inch: what stays of the white above and below a picture


def in_site(cell, name, drawing, site=""):
    """What shows each picture and each explorer that a cell of a chapter puts out.

    For each a tuple: the output; "picture" or "explorer"; the values for its template,
    with addresses below `site`; and the picture's file, or the folder of the frames.
    """
    for number, output in enumerate(cell.get("outputs", [])):
        if explorer := explorer_of(output):
            folder = f"{site}frames/{name}/{cell.id}/"
            frames, start = drawing / explorer["folder"], f"{explorer['start']}.webp"
            places = {"folder": folder, "source": folder + start}
            size = size_on_page((frames / start).read_bytes())
            narrow = narrow_of(frames / "narrow" / start, f"{folder}narrow/{start}")
            values = {**explorer, **places, **size, "narrow": narrow}
            yield output, "explorer", values, frames
        elif picture := picture_of(output):
            alt, _ = picture
            address = f"{site}figures/{name}/{cell.id}-{number}"
            wide, slim = (drawing / output.metadata[shape] for shape in SHAPES)
            file = wide.read_bytes()
            size = size_on_page(file, DPI_STILL)
            narrow = narrow_of(slim, f"{address}-narrow.webp")
            values = {"alt": alt, "source": f"{address}.webp", **size, "narrow": narrow}
            yield output, "picture", values, file


def narrow_of(file, source):
    return {"source": source, **size_on_page(file.read_bytes(), DPI_NARROW)}


def without_white(wide, narrow):
    """Which part of a picture's height a page shows, in both shapes: CSS variables.

    Much white above or below a picture would tear it from its words.
    """
    shapes = {"": (wide, DPI_STILL), "narrow-": (narrow, DPI_NARROW)}
    parts = []
    for shape, (file, dpi) in shapes.items():
        image = ImageOps.invert(Image.open(BytesIO(file)).convert("L"))
        _, top, _, bottom = image.point(lambda value: 255 * (value > 8)).getbbox()
        rim = round(WHITE * dpi / 100)
        top, bottom = max(0, top - rim), min(image.height, bottom + rim)
        left_out = image.height - (bottom - top)
        at = round(100 * top / left_out, 1) if left_out else 0
        ratio = f"{image.width} / {bottom - top}"
        parts.append(f"--{shape}ratio: {ratio}; --{shape}at: {at}%")
    return "; ".join(parts)
