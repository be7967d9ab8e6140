"""Questions before an answer, `predict`, and exercises with a verdict, `check`."""

import html
import re
from string import ascii_uppercase

import numpy as np
from IPython.display import display

from course.pictures import picture
from utils import shown_in_error

VARIABLE = re.compile(r"\*([A-Za-z])\*")  # *m*, but not 2 * 3


def predict(question, options, answer, answered=None):
    """A question to answer before the next cell; choosing an answer unfolds a reply.

    Parameters
    ----------
    question : str
        `Backquotes` set code, *stars* a variable, also in options and replies.
    options : dict of str to str
        Option → the reply that unfolds: why it is right, or what to think of instead.
    answer : str
        The option that is right.
    answered : matplotlib figure, optional
        The picture of the question, with its answer: it unfolds with the right reply.

    Raises
    ------
    ValueError
        If `options` is not such a dict, `answer` is not one of them, or a question, an
        option or a reply has no words.

    Examples
    --------
    >>> predict("Is 7 even?", {"yes": "Divide it by 2.", "no": "7 = 2 * 3 + 1."}, "no")
    """
    if not isinstance(options, dict) or not options:
        given = shown_in_error(options)
        raise ValueError(f"options must be a dict, option → reply; got {given}")
    for text in (question, *options, *options.values()):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(
                f"question, options and replies must be texts, not empty;"
                f" got {shown_in_error(text)}"
            )
    if answer not in options:
        given = shown_in_error(answer)
        raise ValueError(f"answer must be one of {list(options)}; got {given}")
    about = {
        "words": _as_html(question),
        "options": [
            {
                "letter": letter,
                "words": _as_html(option),
                "right": option == answer,
                "verdict": "Right." if option == answer else "Not this one.",
                "reply": _as_html(reply),
            }
            for letter, (option, reply) in zip(ascii_uppercase, options.items())
        ],
    }
    unfolded = ""
    if answered is not None:
        alt = f"The picture of the question, with its answer: {_plain(answer)}"
        data, about["picture"] = picture(answered, alt)
        unfolded = data["text/html"]
    plain = [f"Predict: {question}"]
    plain += [f"{letter} {option}" for letter, option in zip(ascii_uppercase, options)]
    text = _plain("\n".join(plain))
    data = {"text/html": _page_of(about, unfolded), "text/plain": text}
    display(data, metadata={"question": about}, raw=True)


def _page_of(about, unfolded):
    """A question as JupyterLab shows it; slides and book make their own of it."""
    page = f"<p><b>Predict, then choose your answer.</b> {about['words']}</p>"
    for option in about["options"]:
        page += (
            '<details style="margin:.3em 1em">'
            f"<summary><b>{option['letter']}</b> {option['words']}</summary>"
            f'<p style="margin:.3em 1.2em"><b>{option["verdict"]}</b> '
            f"{option['reply']}</p>{unfolded if option['right'] else ''}</details>"
        )
    return page


def _as_html(text):
    """A text for a page; backquotes set code, stars a variable in italics."""
    text = VARIABLE.sub(r"<em>\1</em>", html.escape(text))
    return re.sub(r"`(.+?)`", r"<code>\1</code>", text)


def _plain(text):
    """A text for where nothing is set in italics."""
    return VARIABLE.sub(r"\1", text)


def check(answer, claims, hint):
    """Say whether `answer` passes an exercise, or the first claim that fails.

    Parameters
    ----------
    answer
        What the learner gives: a value, or a function. While it is `...`, or raises
        NotImplementedError, the exercise is open.
    claims : dict of str to callable
        What should hold, in words → a function of the answer: True if it does.
    hint : str
        Stands folded below the verdict until the answer is right.

    Raises
    ------
    ValueError
        If there is no claim, one is no function, or the hint is no text.

    Examples
    --------
    >>> check(4, {"it is even": lambda n: n % 2 == 0}, hint="try 2")
    Correct: it is even.
    """
    if not isinstance(claims, dict) or not claims:
        raise ValueError(
            f"claims must be a dict, claim → function; got {shown_in_error(claims)}"
        )
    for claim, holds in claims.items():
        if not isinstance(claim, str) or not callable(holds):
            raise ValueError(
                f"the claim {claim!r} needs a function of the answer;"
                f" got {shown_in_error(holds)}"
            )
    if not isinstance(hint, str):
        raise ValueError(f"hint must be a text; got {shown_in_error(hint)}")
    objection = _objection(answer, claims)
    print(objection or f"Correct: {'; '.join(claims)}.")
    if objection:
        page = f"<details><summary>Hint</summary>{html.escape(hint)}</details>"
        data = {"text/html": page, "text/plain": f"Hint: {hint}"}
        display(data, metadata={"hint": hint}, raw=True)


def _objection(answer, claims):
    """What `check` says of an answer that is missing or fails; else ""."""
    if answer is ...:
        return "Your turn."
    for claim, holds in claims.items():
        try:
            passes = holds(answer)
        except NotImplementedError:
            return "Your turn."
        except Exception as error:
            if "NoneType" in str(error):
                return "Not yet. Something is None: does a function lack `return`?"
            return f'Not yet. Testing "{claim}" raised {type(error).__name__}: {error}'
        if not isinstance(passes, (bool, np.bool_)):  # all lists with entries are true
            return f'Not yet. Testing "{claim}" gave {shown_in_error(passes)}'
        if not passes:
            return f"Not yet. This should hold: {claim}."
    return ""
