// The theme has its icons as fonts, too: pages need no 1.6 MB of this script.
window.FontAwesomeConfig = {autoReplaceSvg: false};
