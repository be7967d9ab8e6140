"""What the book adds to Sphinx's search: Chinese words, which have no spaces between.

One, two or three signs that stand together are a word of the index, wherever they do.
"""

import re

from sphinx.search.en import SearchEnglish

OTHERS, ONE = r"(?:(?![一-鿿])\w)+", "[一-鿿]"
WORDS = (OTHERS, ONE, f"(?=({ONE}{{2}}))", f"(?=({ONE}{{3}}))")


class EnglishAndChinese(SearchEnglish):
    # what a reader looks for has the same words, of at most three signs
    js_splitter_code = r"""var splitQuery = query =>
  query.match(/[一-鿿]{1,3}|(?:(?![一-鿿])[\p{L}\p{N}_])+/gu) ?? [];"""

    def split(self, text):
        return [word for kind in WORDS for word in re.findall(kind, text)]


def setup(app):
    app.add_search_language(EnglishAndChinese)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
