"""A canvas as a file: quickly made for a live picture, small for a saved one."""

import io
import struct
import zlib

import numpy as np
from PIL import Image


def as_image(canvas):
    """What stands on a canvas, without transparency."""
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def as_quick_png(canvas):
    """The bytes of a lossless PNG file of a canvas that is drawn, in the least time.

    Pillow would try five filters on every line. That takes twice as long, and makes the
    files of drawings larger; so the few bytes around the pixels are put together here.
    Source: Portable Network Graphics (PNG) Specification, 2003, sections 5 and 11.2.
    """
    pixels = np.asarray(canvas.buffer_rgba())[..., :3]
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
    """The bytes of a small PNG file of 48 colours, of a canvas that is drawn.

    The most frequent ones stay as they are. The others are chosen so that rare ones and
    pale ones are there, too; by themselves they would give a tint to white and grey. A
    picture of more than 65,536 colours, as a photograph has, is saved in chosen ones.
    """
    frequent, other = 16, 32
    picture = as_image(canvas)
    others = picture.quantize(
        other, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )
    numbers, palette = np.array(others), others.getpalette()[: 3 * other]
    pixels = np.asarray(picture.convert("RGBA")).view("uint32")[..., 0]
    # Of too many colours, `getcolors` gives None. A frequent colour is added to the
    # palette, and the number of its new place written wherever the picture has it.
    for _, colour in sorted(picture.getcolors(2**16) or [], reverse=True)[:frequent]:
        pixel = np.frombuffer(bytes([*colour, 255]), "uint32")
        numbers[pixels == pixel] = len(palette) // 3
        palette += colour
    saved = Image.fromarray(numbers)
    saved.putpalette(palette)
    file = io.BytesIO()
    saved.save(file, "png", optimize=True)
    return file.getvalue()
