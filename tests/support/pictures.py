"""Pictures as numbers from 0 to 255."""

import io

import numpy as np
from PIL import Image


def pixels(file):
    """Red, green and blue of a picture, from the bytes of its file."""
    return np.asarray(Image.open(io.BytesIO(file)).convert("RGB"), int)


def change_of_blocks(old, new):
    """How far the mean brightness of each block of 4 × 4 pixels is from the old one.

    Another curve changes it; how letters are smoothed does not.
    """
    blocks = new.width // 4, new.height // 4
    old, new = (
        np.asarray(picture.convert("L").resize(blocks, Image.Resampling.BOX), float)
        for picture in (old, new)
    )
    return abs(old - new)
