"""A canvas as a PNG file: made quickly for a live picture, small for a saved one."""

import io
import struct
import zlib

import numpy as np
from PIL import Image


def as_image(canvas):
    """What stands on a canvas, over white where it lets light through.

    Parameters
    ----------
    canvas : matplotlib FigureCanvasAgg
        It has been drawn.

    Returns
    -------
    PIL.Image.Image
        Of the mode "RGB".

    Examples
    --------
    >>> from matplotlib.backends.backend_agg import FigureCanvasAgg
    >>> from matplotlib.figure import Figure
    >>> canvas = FigureCanvasAgg(Figure(figsize=(3, 2), dpi=100))
    >>> canvas.draw()
    >>> as_image(canvas).size
    (300, 200)
    """
    return Image.fromarray(_over_white(canvas))


def as_quick_png(canvas):
    """A lossless PNG file of a canvas, in the least time.

    Pillow would try five filters on every line. That takes twice as long, and makes the
    files of drawings larger; so the few bytes around the pixels are put together here.
    Source: Portable Network Graphics (PNG) Specification, 2003, sections 5 and 11.2.

    Parameters
    ----------
    canvas : matplotlib FigureCanvasAgg
        It has been drawn.

    Returns
    -------
    bytes
        Of the file.

    Examples
    --------
    >>> from matplotlib.backends.backend_agg import FigureCanvasAgg
    >>> from matplotlib.figure import Figure
    >>> canvas = FigureCanvasAgg(Figure())
    >>> canvas.draw()
    >>> as_quick_png(canvas)[1:4]
    b'PNG'
    """
    pixels = _over_white(canvas)
    height, width, _ = pixels.shape
    lines = np.zeros((height, 1 + 3 * width), dtype="uint8")  # each begins: no filter
    lines[:, 1:] = pixels.reshape(height, 3 * width)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # RGB, 8 bits each
    chunks = {b"IHDR": header, b"IDAT": zlib.compress(lines, 1), b"IEND": b""}
    file = b"\x89PNG\r\n\x1a\n"
    for name, content in chunks.items():
        file += struct.pack(">I", len(content)) + name + content
        file += struct.pack(">I", zlib.crc32(name + content))
    return file


def as_png(canvas):
    """A small PNG file of a canvas, in 48 colours.

    Where it has more, the 16 most frequent ones stay as they are. The others are chosen
    so that rare ones and pale ones are there, too; by themselves they would give a tint
    to white and grey. A picture of more than 65,536 colours, as a photograph has, is
    saved in chosen ones alone.

    Parameters
    ----------
    canvas : matplotlib FigureCanvasAgg
        It has been drawn.

    Returns
    -------
    bytes
        Of the file.

    Examples
    --------
    >>> from matplotlib.backends.backend_agg import FigureCanvasAgg
    >>> from matplotlib.figure import Figure
    >>> canvas = FigureCanvasAgg(Figure())
    >>> canvas.draw()
    >>> len(as_png(canvas)) < len(as_quick_png(canvas))
    True
    """
    few, frequent, other = 48, 16, 32
    picture = as_image(canvas)
    others = picture.quantize(
        other, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )
    numbers, palette = np.array(others), others.getpalette()[: 3 * other]
    pixels = np.asarray(picture.convert("RGBA")).view("uint32")[..., 0]
    # What stays is added to the palette, and the number of its new place written
    # wherever the picture has it. Of too many colours, `getcolors` gives None.
    kept = picture.getcolors(few)
    if kept is None:
        kept = sorted(picture.getcolors(2**16) or [], reverse=True)[:frequent]
    for _, colour in kept:
        pixel = np.frombuffer(bytes([*colour, 255]), "uint32")
        numbers[pixels == pixel] = len(palette) // 3
        palette += colour
    saved = Image.fromarray(numbers)
    saved.putpalette(palette)
    file = io.BytesIO()
    saved.save(file, "png", optimize=True)
    return file.getvalue()


def _over_white(canvas):
    """The pixels of a canvas, without transparency: shape (height, width, 3)."""
    pixels = np.asarray(canvas.buffer_rgba())
    if pixels[..., 3].min() < 255:
        picture = Image.fromarray(pixels)
        white = Image.new("RGBA", picture.size, "white")
        pixels = np.asarray(Image.alpha_composite(white, picture))
    return np.ascontiguousarray(pixels[..., :3])
