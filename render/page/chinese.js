// Chinese is marked as Chinese: a voice then reads it, and a browser picks its fonts.
// Text below `root` is wrapped in <span lang="zh-Hans">; what is marked already stays.
function markChinese(root) {
  const run = /(\p{Script=Han}+(?:[\u3000-\u303F\uFF00-\uFFEF]+\p{Script=Han}+)*)/u;
  const others = '[lang|=zh], script, style, title, textarea, option';
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const text = walker.currentNode;
    if (run.test(text.data) && !text.parentElement.closest(others)) found.push(text);
  }
  for (const text of found) {
    const parent = text.parentElement;
    // A word in a formula or a drawing.
    if (parent.namespaceURI !== document.documentElement.namespaceURI) {
      parent.setAttribute('lang', 'zh-Hans');
      continue;
    }
    text.replaceWith(...text.data.split(run).map((part, index) => {
      if (index % 2 === 0) return part;
      const span = document.createElement('span');
      span.lang = 'zh-Hans';
      span.textContent = part;
      return span;
    }));
  }
}
