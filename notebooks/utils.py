"""What several chapters share: the mathematics, the look, proofs and checks.

The three formulas stand first. Sliders and pictures on their way to the browser are in
explorer.py.
"""

import html
import itertools
import json
import re
import sys
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Math, display
from matplotlib import font_manager
from matplotlib.patheffects import Normal, Stroke

HERE = Path(__file__).resolve().parent


# ---- mathematics --------------------------------------------------------------------
def frequencies(d_model, base=10_000.0):
    """Angular frequencies omega_i = base**(-2i/d_model), one for each (sin, cos) pair.

    Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

    Parameters
    ----------
    d_model : int
        Width of the encoding, even and at least 2.
    base : float
        Finite and larger than 1; 10000 in the paper.

    Returns
    -------
    ndarray, shape (d_model/2,)
        In radians per position; omega_0 = 1 is the largest.

    Raises
    ------
    ValueError
        If an argument is not as described.

    Examples
    --------
    >>> frequencies(8, base=16).tolist()
    [1.0, 0.5, 0.25, 0.125]
    """
    if not is_integer(d_model) or d_model < 2 or d_model % 2:
        raise ValueError(f"d_model must be an even integer >= 2; got {d_model!r}")
    if not is_number(base) or base <= 1:
        raise ValueError(f"base must be a finite number > 1; got {base!r}")
    return float(base) ** (-np.arange(0, d_model, 2) / d_model)


def positional_encoding(positions, d_model, base=10_000.0):
    """Sinusoidal positional encoding: sin(pos omega_i) in column 2i, cos in 2i + 1.

    Source: Vaswani et al., 2017, section 3.5.

    Parameters
    ----------
    positions : int or 1-D array of real numbers
        An integer n means 0 … n − 1; an array may hold any positions, 2.5 or −7 too.
    d_model, base : see `frequencies`

    Returns
    -------
    ndarray, shape (n, d_model)
        Within 2**-52 (2 + ln base) max(1, abs(pos)) of the formula.

    Raises
    ------
    ValueError
        If an argument is not as described.

    Examples
    --------
    >>> positional_encoding(2, d_model=4).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """
    omega = frequencies(d_model, base)
    pos = position_array(positions)
    angle = pos[:, None] * omega
    table = np.zeros((len(pos), d_model))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table


def shift_matrix(k, d_model, base=10_000.0):
    """Block-diagonal R_k with `R_k @ p(pos) == p(pos + k)` at every position.

    Source: Vaswani et al., 2017, section 3.5: "a linear function of PE_pos".

    Parameters
    ----------
    k : float
        Offset in positions, any finite real number.
    d_model, base : see `frequencies`

    Returns
    -------
    ndarray, shape (d_model, d_model)
        Blocks [[cos, sin], [−sin, cos]] of the angles k omega_i.

    Raises
    ------
    ValueError
        If an argument is not as described.

    Examples
    --------
    >>> here, there = positional_encoding([10, 13], d_model=64)
    >>> bool(np.allclose(shift_matrix(3, d_model=64) @ here, there))
    True
    """
    omega = frequencies(d_model, base)
    if not is_number(k):
        raise ValueError(f"k must be a finite real number; got {k!r}")
    angle = float(k) * omega
    even = 2 * np.arange(len(omega))
    odd = even + 1
    R = np.zeros((d_model, d_model))
    R[even, even] = np.cos(angle)
    R[even, odd] = np.sin(angle)
    R[odd, even] = -np.sin(angle)
    R[odd, odd] = np.cos(angle)
    return R


def rotations_of(M):
    """The nearest matrix to M that knows the offset alone, by chapter 6.

    Parameters
    ----------
    M : ndarray, shape (d_model, d_model)

    Returns
    -------
    ndarray, shape (d_model, d_model)
        Blocks [[a, b], [−b, a]] on the diagonal: rotations, each with a size.

    Raises
    ------
    ValueError
        If M is not square, or has an odd number of rows.

    Examples
    --------
    >>> rotations_of(np.array([[1.0, 2.0], [4.0, 3.0]])).tolist()
    [[2.0, -1.0], [1.0, 2.0]]
    """
    M = np.asarray(M, dtype=float)
    if M.ndim != 2 or M.shape[0] != M.shape[1] or len(M) % 2:
        raise ValueError(
            f"M must be square, with an even number of rows; got the shape {M.shape}"
        )
    even = np.arange(0, len(M), 2)
    odd = even + 1
    kept = np.zeros_like(M)
    kept[even, even] = kept[odd, odd] = (M[even, even] + M[odd, odd]) / 2
    kept[even, odd] = (M[even, odd] - M[odd, even]) / 2
    kept[odd, even] = -kept[even, odd]
    return kept


def is_number(value):
    """Whether `value` is one finite real number: no truth value, no text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= sys.float_info.max


def is_integer(value):
    """Whether `value` is a whole number of an integer type: 4, but not 4.0."""
    return is_number(value) and isinstance(value, (int, np.integer))


def position_array(positions):
    """`positions` as a 1-D array of floats; an integer n stands for 0, 1, …, n − 1."""
    if is_integer(positions) and positions >= 0:
        return np.arange(positions, dtype=float)
    array = np.asarray(positions, dtype=object)
    if array.ndim != 1 or not all(is_number(value) for value in array):
        raise ValueError(
            "positions must be an integer n >= 0 or a 1-D array of finite real "
            f"numbers; got {positions!r}"
        )
    return array.astype(float)


# ---- look ---------------------------------------------------------------------------
SIN = "#004488"
COS = "#D55E00"
TOKEN = "#66A5D9"
POSITION = "#EFC545"
SUM = "#117733"
INK = "#222222"  # text and what is measured
FAINT = "#BBBBBB"  # background
MARK = "#AA3377"  # "look here"
PALE = "#F4F4F4"  # the face of a clock, a passed cell
POSITION_EDGE = "#9A7400"  # POSITION is too light for a line of its own on white
SIGNED = "cividis"  # values in [−1, 1]: dark is −1, light is +1, in grey as well


def register_font():
    """Let matplotlib draw the course's Chinese characters on every machine.

    The font gets a name of its own. Under its real name, a font of the system might be
    drawn in its place, and pictures would differ from machine to machine.
    """
    path = str(HERE / "fonts" / "noto-sans-cjk-sc-subset.otf")
    for weight in (400, 700):
        entry = font_manager.FontEntry(fname=path, name="Course Chinese", weight=weight)
        font_manager.fontManager.ttflist.append(entry)


register_font()
plt.rcParams.update(
    {
        "font.family": ["DejaVu Sans", "Course Chinese"],
        "font.size": 13,
        "axes.titlesize": "medium",
        "figure.titlesize": "medium",
        "figure.figsize": (9, 4),
        "figure.dpi": 100,
        "figure.constrained_layout.use": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": INK,
        "text.color": INK,
        "lines.linewidth": 2,
        "legend.frameon": False,
        "image.cmap": SIGNED,
    }
)


def draw_table(ax, values, rows, colour, title, digits=2):
    """A table of numbers on a coloured ground: one row for each token or position.

    Parameters
    ----------
    ax : matplotlib axes
    values : array, shape (number of rows, number of columns)
    rows : sequence
        What stands at the left of each row; a text gives its characters.
    colour : str
        TOKEN, POSITION or SUM.
    title : str
    digits : int
        How many decimals are written.
    """
    ax.axis("off")
    ax.set_title(title)
    texts = [[f"{value:.{digits}f}" for value in row] for row in values]
    table = ax.table(texts, rowLabels=rows, cellLoc="center", bbox=(0.12, 0, 0.88, 1))
    table.auto_set_font_size(False)
    table.set_fontsize(13)
    for (_, column), cell in table.get_celld().items():
        is_label = column < 0
        cell.set(edgecolor="white", linewidth=2)
        cell.set_facecolor("white" if is_label else colour)
        dark = colour == SUM and not is_label
        cell.get_text().set_color("white" if dark else INK)


def draw_dial(ax, room=1.2):
    """The face of a clock, a circle of radius 1, for the hands of one or more pairs.

    Parameters
    ----------
    ax : matplotlib axes
    room : float
        How far the axes reach to each side; the circle itself reaches to 1.
    """
    ax.set(xlim=(-room, room), ylim=(-room, room), aspect="equal")
    ax.axis("off")
    ax.add_patch(plt.Circle((0, 0), 1, facecolor=PALE, edgecolor=FAINT, lw=2, zorder=0))


def edge(*lines):
    """Give lines in the colour POSITION a darker edge, so that they stand out on white.

    Parameters
    ----------
    *lines : matplotlib lines or arrows
    """
    for line in lines:
        width = line.get_linewidth() + 2
        outline = Stroke(linewidth=width, foreground=POSITION_EDGE)
        line.set_path_effects([outline, Normal()])


def draw_signed(ax, values, digits=1):
    """Cells coloured from −1, dark, to +1, light, with their numbers written in them.

    Between −1 and +1 a colour alone does not tell the sign of a small number; the
    number does.

    Parameters
    ----------
    ax : matplotlib axes
    values : array, shape (number of rows, number of columns)
        Numbers from −1 to 1.
    digits : int
        How many decimals are written.

    Returns
    -------
    callable
        `move(values)` shows other values of the same shape.
    """
    values = np.asarray(values, dtype=float)
    image = ax.imshow(values, cmap=SIGNED, vmin=-1, vmax=1)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    middle = {"ha": "center", "va": "center"}
    texts = {
        (row, column): ax.text(column, row, "", **middle)
        for row, column in np.ndindex(values.shape)
    }

    def move(values):
        values = np.asarray(values, dtype=float)
        image.set_data(values)
        luminance = image.to_rgba(values)[..., :3] ** 2.2 @ (0.21, 0.72, 0.07)
        for place, text in texts.items():
            number = f"{values[place]:.{digits}f}".replace("-", "−")
            if float(number.replace("−", "-")) == 0:
                number = "0"
            text.set_text(number)
            text.set_color("white" if luminance[place] < 0.18 else "black")

    move(values)
    return move


# ---- the scoreboard -----------------------------------------------------------------
def layer_norm(X):
    """LayerNorm of each row of X, shape (n, d_model): mean 0, standard deviation 1.

    The trained scale and shift are left out.
    Source: Ba, Kiros, Hinton, "Layer Normalization", 2016, equation (3).
    """
    return (X - X.mean(axis=-1, keepdims=True)) / X.std(axis=-1, keepdims=True)


def is_bounded(code):
    """No entry of `code(10_000)` is beyond 1."""
    return np.abs(code(10_000)).max() <= 1


def has_one_code_a_place(code):
    """The rows of `code(64)` all differ."""
    return len(np.unique(code(64).round(9), axis=0)) == 64


def is_independent_of_length(code):
    """Places have the same rows in `code(64)` and in `code(128)`."""
    return np.allclose(code(64), code(128)[:64], atol=0)


def has_even_steps(code):
    """Neighbouring rows of `code(64)` are equally far apart, wherever they stand."""
    steps = np.linalg.norm(np.diff(code(64), axis=0), axis=1)
    return np.allclose(steps, steps[0], atol=0)


def survives_layer_norm(code):
    """The rows of `code(64)`, added to a random token and normalised, still differ."""
    table = code(64)
    token = np.random.default_rng(seed=0).normal(size=table.shape[1])
    if len(np.unique(token)) == 1:  # LayerNorm leaves nothing of one column
        return False
    return len(np.unique(layer_norm(token + table).round(9), axis=0)) == 64


def has_near_alike(code):
    """Neighbours in `code(64)` are closer than any two places eight or more apart."""
    table = code(64)
    distance = np.linalg.norm(table[:, None] - table, axis=-1)
    offset = np.abs(np.subtract.outer(np.arange(64), np.arange(64)))
    return distance[offset == 1].max() < distance[offset >= 8].min()


def has_one_map(code):
    """One matrix, fitted on half of a long `code(n)`, moves the rest 3 places on."""
    table = code(1203)
    places = np.random.default_rng(seed=3).permutation(1200)
    fitted, tested = places[:600], places[600:]
    matrix = np.linalg.lstsq(table[fitted], table[fitted + 3], rcond=1e-8)[0]
    missed = np.linalg.norm(table[tested] @ matrix - table[tested + 3])
    return missed < 1e-6 * np.linalg.norm(table[tested + 3])


# Each test takes a function `code(n)` that gives the table of a text of n tokens.
WISHES = {
    "bounded": is_bounded,
    "one code a place": has_one_code_a_place,
    "independent of the text's length": is_independent_of_length,
    "even steps": has_even_steps,
    "survives LayerNorm": survives_layer_norm,
    "near places look alike": has_near_alike,
    "one map moves every place": has_one_map,
}


def wishes_of(code, names=tuple(WISHES)):
    """Which wishes a positional encoding fulfils.

    Parameters
    ----------
    code : callable
        `code(n)` gives the table of a text of n tokens, shape (n, d_model).
    names : sequence of str
        Some of the keys of `WISHES`; all of them unless given.

    Returns
    -------
    dict of str to bool

    Examples
    --------
    >>> counting = lambda n: np.outer(np.arange(n) + 1, np.ones(8))
    >>> wishes_of(counting, ["bounded", "even steps"])
    {'bounded': False, 'even steps': True}
    """
    return {name: bool(WISHES[name](code)) for name in names}


def draw_board(ax, rows, headings=None, label_width=2.0):
    """A board of verdicts: a line for each scheme, a column for each wish.

    What passes has a tick on a pale cell, what fails a cross on a dark one, so that the
    board can be read in grey.

    Parameters
    ----------
    ax : matplotlib axes
    rows : dict of str to dict
        The name of a scheme → {column: verdict}. A verdict is True or False, or a pair
        (True, False or None, text); None stands for a cell that is only told.
    headings : dict of str to str, optional
        A heading to be written above the scheme of this name.
    label_width : float
        Width of the names of the schemes, in columns.
    """
    columns = list(next(iter(rows.values())))
    letters = 12 if len(columns) < 7 else 8  # in a line of a column's name
    for number, column in enumerate(columns):
        lines = textwrap.wrap(column, letters, break_long_words=False)
        for above, words in enumerate(reversed(lines)):
            ax.annotate(
                words,
                (number + 0.5, -0.6),
                xytext=(0, 7 + 17 * above),
                textcoords="offset points",
                ha="center",
            )
    headings = headings or {}
    line = 0.0
    for name, verdicts in rows.items():
        if name in headings:
            line += 0.5 if line else 0.0
            ax.text(-label_width, line, headings[name], va="center", weight="bold")
            line += 0.95
        ax.text(-label_width + 0.1, line, name, va="center")
        for number, column in enumerate(columns):
            _draw_verdict(ax, number, line, verdicts[column])
        line += 1
    ax.set(xlim=(-label_width, len(columns)), ylim=(line - 0.4, -0.6))
    ax.axis("off")


def read_board(ax):
    """What stands on a drawn board: scheme → {column: verdict}.

    Parameters
    ----------
    ax : matplotlib axes
        With what `draw_board` drew, without headings; a cell holds a mark or a text.

    Returns
    -------
    dict of str to dict
        A verdict is True, False or, where a cell is only told, (None, text).
    """
    above = [word for word in ax.texts if hasattr(word, "xyann")]
    above.sort(key=lambda word: (word.xy[0], -word.xyann[1]))  # line after line
    columns = {
        x: " ".join(word.get_text() for word in lines)
        for x, lines in itertools.groupby(above, key=lambda word: word.xy[0])
    }
    rows, schemes_at = {}, {}
    for word in (word for word in ax.texts if word not in above):
        (x, line), said = word.get_position(), word.get_text()
        if x < 0:
            schemes_at[line] = said
            rows[said] = {}
        elif said:
            verdict = {"✓": True, "✗": False}.get(said, (None, said))
            rows[schemes_at[line]][columns[x]] = verdict
    return rows


def _draw_verdict(ax, column, line, verdict):
    """One cell of a board."""
    passes, text = verdict if isinstance(verdict, tuple) else (verdict, "")
    failed = passes is not None and not passes
    cell = plt.Rectangle((column + 0.02, line - 0.45), 0.96, 0.9, lw=0)
    cell.set_facecolor(MARK if failed else PALE)
    ax.add_patch(cell)
    words = "white" if failed else INK
    if passes is None:
        ax.text(column + 0.5, line, text, ha="center", va="center", color=words)
        return
    mark = "✓" if passes else "✗"
    colour = "white" if failed else SUM
    ax.text(
        column + (0.07 if text else 0.5),
        line,
        mark,
        ha="left" if text else "center",
        va="center",
        color=colour,
        fontsize=13 if text else 20,
    )
    ax.text(column + 0.94, line, text, ha="right", va="center", color=words)


# ---- trained models -----------------------------------------------------------------
TRAINED_VERSION = 1  # of the rows in trained/, written by experiments/run.py


def read_trained(name):
    """The rows of trained models: a dict with "config" and "result" for each run.

    Parameters
    ----------
    name : str or path
        "head", "moved" or "lengths": a file of the folder trained; or a file's path.

    Returns
    -------
    list of dict

    Raises
    ------
    ValueError
        If there is no such file, or it was not written by this version of experiments/.
    """
    folder = HERE / "trained"
    path = Path(name) if Path(name).suffix else folder / f"{name}.jsonl"
    if not path.is_file():
        there = sorted(file.stem for file in folder.glob("*.jsonl"))
        raise ValueError(f"no rows of trained models in {path}; there are {there}")
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            version = row["version"]
        except (ValueError, TypeError, KeyError):
            raise ValueError(f"{path}, line {number}: not a trained model") from None
        if version != TRAINED_VERSION:
            raise ValueError(
                f"{path}, line {number}: a row of version {version!r}; this course"
                f" reads version {TRAINED_VERSION}. Write it anew: make experiments"
            )
        rows.append(row)
    return rows


def select_trained(rows, **wanted):
    """The rows whose configuration has these values, a run for each seed.

    Parameters
    ----------
    rows : list of dict
        From `read_trained`.
    **wanted
        Names and values of the configuration: `scheme="RoPE", task="first"`.

    Returns
    -------
    list of dict

    Raises
    ------
    ValueError
        If no row has such a name or such a value.
    """
    chosen = rows
    for name, value in wanted.items():
        known = {row["config"][name] for row in rows if name in row["config"]}
        if not known:
            names = sorted(rows[0]["config"]) if rows else []
            raise ValueError(f"a run is described by {names}; got {name!r}")
        if value not in known:
            raise ValueError(f"{name} must be one of {sorted(known)}; got {value!r}")
        chosen = [row for row in chosen if row["config"].get(name) == value]
    if not chosen:
        raise ValueError(f"no run has all of {wanted!r}")
    return chosen


# ---- proofs, questions, exercises ---------------------------------------------------
def prove(left, right, name=None):
    """Typeset left = right and the residual left − right; stop if it is not 0.

    The residual is simplified as it is, and where that does not give 0, once more with
    every sine and cosine written as exponentials.

    Parameters
    ----------
    left, right : sympy expressions or matrices of one shape
    name : str, optional
        TeX that is shown in place of the left side.

    Raises
    ------
    AssertionError
        If the two sides cannot be shown to be equal.

    Examples
    --------
    >>> alpha = sympy.Symbol("alpha", real=True)
    >>> prove(sympy.sin(2 * alpha), 2 * sympy.sin(alpha) * sympy.cos(alpha))
    """
    import sympy

    def simplified(entry):
        rest = sympy.simplify(entry)
        in_exponentials = sympy.expand(rest.rewrite(sympy.exp))
        return sympy.S.Zero if sympy.simplify(in_exponentials) == 0 else rest

    residual = left - right
    if isinstance(residual, sympy.MatrixBase):
        residual = residual.applyfunc(simplified)
        holds = residual.is_zero_matrix
    else:
        residual = simplified(residual)
        holds = residual == 0
    display(
        Math(
            (name or sympy.latex(left))
            + (" = " if holds else r" \neq ")
            + sympy.latex(right)
            + r"\qquad \text{residual }"
            + sympy.latex(residual)
        )
    )
    if not holds:
        raise AssertionError(f"not proved: left - right = {residual}")


def predict(question, options, answer):
    """A question to answer before the next cell; choosing an answer unfolds a reply.

    Parameters
    ----------
    question : str
        `Backquotes` set code.
    options : dict of str to str
        Option → the reply that unfolds: why it is right, or what to think of instead.
    answer : str
        The option that is right.

    Raises
    ------
    ValueError
        If `answer` is not one of the options.

    Examples
    --------
    >>> predict("Is 7 even?", {"yes": "Divide it by 2.", "no": "7 = 2 * 3 + 1."}, "no")
    """
    if answer not in options:
        raise ValueError(f"answer must be one of {list(options)}; got {answer!r}")
    page = (
        "<p><b>Predict, then choose your answer.</b> " + html.escape(question) + "</p>"
    )
    plain = f"Predict: {question}"
    for option, reply in options.items():
        verdict = "Yes." if option == answer else "Not this one."
        page += (
            '<details style="margin:.3em 1em">'
            f"<summary>{html.escape(option)}</summary>"
            f'<p style="margin:.3em 1.2em"><b>{verdict}</b> {html.escape(reply)}</p>'
            "</details>"
        )
        plain += f"\n( ) {option}"
    page = re.sub(r"`(.+?)`", r"<code>\1</code>", page)
    display({"text/html": page, "text/plain": plain}, raw=True)


def check(answer, claims, hint):
    """Say whether `answer` passes an exercise, or the first claim that fails.

    Parameters
    ----------
    answer
        What the learner gives: a value, or a function. While it is `...`, or raises
        NotImplementedError, the exercise is open.
    claims : dict of str to callable
        What should hold, in words → a function of the answer that is true if it does.
    hint : str
        Stands folded below the verdict until the answer is right.

    Examples
    --------
    >>> check(4, {"it is even": lambda n: n % 2 == 0}, hint="try 2")
    Correct: it is even.
    """
    verdict = _verdict(answer, claims)
    print(verdict)
    if not verdict.startswith("Correct"):
        page = f"<details><summary>Hint</summary>{html.escape(hint)}</details>"
        display({"text/html": page, "text/plain": f"Hint: {hint}"}, raw=True)


def _verdict(answer, claims):
    """What `check` says about an answer."""
    if answer is ...:
        return "Your turn."
    for claim, holds in claims.items():
        try:
            passes = bool(holds(answer))
        except NotImplementedError:
            return "Your turn."
        except Exception as error:
            return f"Not yet. Your answer raised {type(error).__name__}: {error}"
        if not passes:
            return f"Not yet. This should hold: {claim}."
    return f"Correct: {'; '.join(claims)}."
