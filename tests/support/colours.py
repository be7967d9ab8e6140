"""Brightness and contrast of colours."""

from colorspacious import cspace_convert
from matplotlib.colors import to_rgb

CONTRAST = 4.5  # of words with white, by WCAG 2.2, 1.4.3


def brightness(colour):
    """The luminance of a colour, from 0 for black to 1 for white."""
    return cspace_convert(to_rgb(colour), "sRGB1", "XYZ1")[1]


def contrast(colour, ground="white"):
    """Of words in this colour with a lighter ground, by WCAG 2.2."""
    return (brightness(ground) + 0.05) / (brightness(colour) + 0.05)
