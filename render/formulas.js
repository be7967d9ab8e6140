// Draws formulas with MathJax: reads a list of [tex, display] as JSON, writes a list of SVGs. Each
// is whole, as it may be carried to another page.
// node formulas.js FOLDER_OF_MATHJAX

// The speaker view shows the notes of a deck without its styles.
const HEARD = 'style="position: absolute; width: 1px; height: 1px; overflow: hidden; '
  + 'clip-path: inset(50%)"';

require(process.argv[2] + '/node-main.js').init({
  loader: { load: ['input/tex-full', 'output/svg', 'a11y/assistive-mml'] },
  svg: { fontCache: 'local' },
}).then(({ startup: { adaptor }, tex2svg }) => {
  const formulas = JSON.parse(require('fs').readFileSync(0, 'utf-8'));
  const drawn = formulas.map(([tex, display]) => adaptor.outerHTML(tex2svg(tex, { display })));
  const heard = drawn.map(svg => svg.replace('<mjx-assistive-mml', `$& ${HEARD}`));
  console.log(JSON.stringify(heard));
});
