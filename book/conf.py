"""How Sphinx makes pages of what bind.py has prepared."""

from tools.repo import current, is_named, site_of

REPOSITORY, REVISION = current()
NAMED = is_named(REPOSITORY)  # else a link to it would lead nowhere

project = "Positional encoding"
language = "en"
extensions = [
    "myst_nb",
    "sphinx.ext.githubpages",
    "sphinx_copybutton",
    "notfound.extension",
    "sphinx_sitemap",
    "sphinxext.opengraph",
    "book.extensions.chapter_excerpts",
    "book.extensions.chinese_search",
    "book.extensions.exercise_boxes",
    "book.extensions.math_renderer",
    "book.extensions.glossary_lines",
]

# ---- text ---------------------------------------------------------------------------
nb_execution_mode = "off"  # the chapters have run
nb_merge_streams = True
nb_code_prompt_show = "Code"
nb_code_prompt_hide = "Code"
nb_ipywidgets_js = {}
nb_mime_priority_overrides = [("html", "text/html", 1)]
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
myst_url_schemes = {
    **dict.fromkeys(("http", "https", "mailto")),
    "slide": "slides/{{path}}.html#/{{fragment}}",  # the id of a cell on the slide
}
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type"]

# ---- pages --------------------------------------------------------------------------
html_theme = "sphinx_book_theme"
html_title = "Positional encoding"
html_baseurl = site_of(REPOSITORY)
html_static_path = [
    "static",
    "../figures",
    "../render/page",  # in decks, too
    "../notebooks/course/fonts",
]
exclude_patterns = ["**.j2"]  # these, bind.py reads
html_use_index = False
html_show_search_summary = False  # a result leads to its words: book.js
html_math_renderer = "drawn"  # book/extensions/math_renderer.py
html_css_files = ["shared.css", "book.css", "lesson.css"]
SCRIPTS = ("chinese", "scrollers", "explorer", "fetch", "book")
html_js_files = [(f"{name}.js", {"defer": "defer", "priority": 90}) for name in SCRIPTS]
html_context = {"default_mode": "auto"}
html_favicon = "static/favicon.svg"
html_copy_source = False  # a chapter is downloaded with what it needs
html_show_sphinx = False
html_theme_options = {
    "repository_url": f"https://github.com/{REPOSITORY}",
    "repository_branch": REVISION,
    "path_to_docs": "notebooks",
    "use_repository_button": NAMED,
    "use_edit_page_button": NAMED,
    "use_issues_button": NAMED,
    "use_download_button": False,  # a notebook alone; each page has a link to a zip
    "launch_buttons": {
        "binderhub_url": "https://mybinder.org" if NAMED else "",
        "colab_url": "https://colab.research.google.com" if NAMED else "",
        "notebook_interface": "jupyterlab",
    },
    "footer_content_items": ["extra-footer"],
    "extra_footer": "<p>Text and figures: CC BY 4.0. Code: MIT.</p>",
    "navbar_persistent": [],  # else a second field for a search
    "use_fullscreen_button": False,
    "back_to_top_button": False,  # it would stand over the text
    "show_toc_level": 1,
    "show_navbar_depth": 1,
}
PATH = "/" + (html_baseurl.split("/", 3)[3] if NAMED else "")
notfound_urls_prefix = PATH
notfound_context = {
    "title": "No such page",
    "body": f"""<h1>There is no such page</h1>
    <p>This is a course on how Transformers encode position, with pictures that you
    move: see it in <a href="{PATH}ten_minutes.html">ten minutes</a>, begin with
    <a href="{PATH}01_integer_encoding.html">chapter 1</a>, look for a
    <a href="{PATH}questions.html">question</a>, or choose from
    <a href="{PATH}index.html">all chapters</a>.</p>""",
}
sitemap_url_scheme = "{link}"
ogp_site_url = html_baseurl
ogp_image = "_static/four_views_still.png"
ogp_image_alt = "A position as a strip, as a row of a table, as waves and as clocks"
ogp_social_cards = {"enable": False}
ogp_enable_meta_description = True
copybutton_selector = "div.cell_input pre"
