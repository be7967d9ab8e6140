"""What axe-core finds in a page: make test-book brings it, or AXE names its script."""

import os
from pathlib import Path

from chapters import ROOT

INSTALLED = ROOT / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
# The rules that concern us, with what breaks them: [rule, place, source].
RUN = """async known => {
  const colours = known.filter(([rule]) => rule === 'color-contrast').map(([, place]) => place).join() || 'script';
  axe.configure({ rules: [{ id: 'color-contrast', selector: `:not(:is(${colours}), :is(${colours}) *)` }] });  // it is slow
  const { violations } = await axe.run(document, { resultTypes: ['violations'], preload: false, elementRef: true });
  return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).flatMap(({ id, nodes }) => nodes
    .filter(({ element }) => !known.some(([rule, place]) => rule === id && element.closest(place)))
    .map(({ target, html }) => `${id}: ${target.join(' ')} ${html.slice(0, 150)}`));
}"""  # noqa: E501
# The same for one slide. Others, which nobody sees, are taken out meanwhile, as all of
# them would be looked at again on every slide.
ALONE = f"""async known => {{
  const others = [...document.querySelectorAll('.slides section:not(.present, :has(.present))')];
  const places = others.map(slide => {{ const place = document.createComment(''); slide.replaceWith(place); return place; }});
  try {{ return await ({RUN})(known); }}
  finally {{ others.reverse().forEach(slide => places.pop().replaceWith(slide)); }}
}}"""  # noqa: E501


def find():
    """The path of axe-core's script, or None."""
    path = Path(os.environ.get("AXE", INSTALLED))
    return path if path.is_file() else None


def faults(page, known=(), run=RUN):
    """What is serious or critical in a page.

    Parameters
    ----------
    page : Page
        Of Playwright.
    known : list of (rule, selector)
        What is not ours to mend: a rule, and the elements in which it may be broken.
    run : {RUN, ALONE}
        The whole page, or the present slide of a deck.

    Returns
    -------
    list of str
    """
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(find().read_text("utf-8"))
    return page.evaluate(run, [list(pair) for pair in known])
