"""Proofs that stop a notebook if they fail: `prove`."""

import sympy
from IPython.display import Math, display

from utils import shown_in_error


def prove(left, right, name=None):
    """Typeset left = right and the residual left − right; stop if it is not 0.

    Parameters
    ----------
    left, right : sympy expressions, or matrices of one shape with their entries
    name : str, optional
        TeX that is shown in place of the left side.

    Raises
    ------
    ValueError
        If a side is nothing of sympy's, or they differ in shape.
    AssertionError
        If the two sides cannot be shown to be equal.

    Examples
    --------
    >>> alpha = sympy.Symbol("alpha", real=True)
    >>> prove(sympy.sin(2 * alpha), 2 * sympy.sin(alpha) * sympy.cos(alpha))
    """
    for side in (left, right):
        if isinstance(side, sympy.MatrixBase):
            continue
        known = isinstance(side, (sympy.Expr, int))
        if not known or isinstance(side, (bool, sympy.MatrixExpr)):
            given = shown_in_error(side)
            raise ValueError(f"prove needs sympy expressions or matrices; got {given}")
    if getattr(left, "shape", None) != getattr(right, "shape", None):
        raise ValueError(
            "prove needs two sides of one shape;"
            f" got {shown_in_error(left)} and {shown_in_error(right)}"
        )
    residual = left - right
    if isinstance(residual, sympy.MatrixBase):
        residual = residual.applyfunc(_simplified)
        holds = residual == sympy.zeros(*residual.shape)
    else:
        residual = _simplified(residual)
        holds = residual == 0
    sign = "=" if holds else r"\overset{?}{=}"  # sympy may not see that it holds
    claim = f"{name or sympy.latex(left)} {sign} {sympy.latex(right)}"
    display(Math(rf"{claim}\qquad \text{{residual }}{sympy.latex(residual)}"))
    if not holds:
        raise AssertionError(f"not proved: left - right = {residual}")


def _simplified(entry):
    """An entry in its simplest form; 0 also if only exponentials show that."""
    rest = sympy.simplify(entry)
    in_exponentials = sympy.expand(rest.rewrite(sympy.exp))  # in place of sin and cos
    return sympy.S.Zero if sympy.simplify(in_exponentials) == 0 else rest
