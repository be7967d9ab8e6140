"""A picture in the shape of a telephone: one rule for all, that no chapter knows of."""

import numpy as np
from matplotlib.gridspec import GridSpec
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.offsetbox import DrawingArea, OffsetBox, PackerBase
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

WIDTH = 3.6  # inches: the page of a telephone, at 100 pixels an inch
HIGHEST, WITH_SLIDERS = 7, 4  # inches: a picture alone, or seen with its sliders
DPI = 160  # its screen has more of them
LETTERS, SMALLEST = 0.58, 8.2  # share of the size in the wide shape; points, at least
LINES = 0.65


def narrow(figure, highest=HIGHEST):
    """Bring a figure into this shape: panels below each other, small letters."""
    if not stack(figure):
        wide, high = figure.get_size_inches()
        figure.set_figheight(max(1.1 * high * WIDTH / wide, min(high, 3.2) / 1.3))
    figure.set_size_inches(WIDTH, min(figure.get_figheight(), highest))
    figure.set_dpi(DPI)
    for legend in figure.findobj(Legend):
        shrink(legend)
    for text in figure.findobj(Text):
        text.set_fontsize(max(LETTERS * text.get_fontsize(), SMALLEST))
    for ax in figure.axes:
        ax.tick_params(labelsize=SMALLEST + 0.5)
        ax.title.set_wrap(True)
    for line in figure.findobj(Line2D):
        line.set_markersize(LETTERS * line.get_markersize())
        line.set_linewidth(LINES * line.get_linewidth())
    for text in figure.texts:
        text.set_wrap(text.get_text() == figure.get_suptitle())


def shrink(legend):
    """A legend's lines and gaps as small as its letters, in at most two columns."""
    columns = legend._legend_handle_box.get_children()
    if len(columns) > 2:
        entries = [entry for column in columns for entry in column.get_children()]
        half = -(-len(entries) // 2)
        columns[0].get_children()[:] = entries[:half]
        columns[1].get_children()[:] = entries[half:]
        del columns[2:]
    for part in legend.findobj(OffsetBox):
        if isinstance(part, PackerBase):
            part.sep, part.pad = (LETTERS * (gap or 0) for gap in (part.sep, part.pad))
        elif isinstance(part, DrawingArea):
            part.width, part.height = LETTERS * part.width, LETTERS * part.height
            for drawn in part.get_children():
                place = getattr(drawn, "get_data_transform", drawn.get_transform)()
                drawn.set_transform(Affine2D().scale(LETTERS) + place)


def stack(figure):
    """Put panels that stand side by side below each other, in one column or two."""
    specs = {ax: ax.get_subplotspec() for ax in figure.axes}
    grids = {spec and spec.get_gridspec() for spec in specs.values()}
    grid = grids.pop() if grids else None
    if grids or grid is None or len(specs) != grid.nrows * grid.ncols:
        return False  # a colour bar, a mosaic, a panel over another, no panel
    columns = 1 if grid.nrows == 1 and grid.ncols <= 3 else 2
    if grid.ncols <= columns:
        return False
    wide, high = figure.get_size_inches()
    shares = np.array(grid.get_width_ratios() or [1] * grid.ncols)
    widths = np.tile(wide * shares / shares.sum(), grid.nrows)
    scales = np.minimum(1, WIDTH / columns / widths)
    firsts = range(0, len(scales), columns)
    heights = high / grid.nrows * np.maximum.reduceat(scales, firsts)
    figure.set_figheight(heights.sum())
    below = GridSpec(len(heights), columns, figure=figure, height_ratios=heights)
    for ax, spec in specs.items():
        ax.set_subplotspec(below[divmod(spec.num1, columns)])
    return True
