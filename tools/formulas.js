// Draws formulas with MathJax: reads a list of [tex, display] as JSON, writes a list of SVGs.
// node formulas.js FOLDER_OF_MATHJAX

require(process.argv[2] + '/node-main.js').init({
  loader: { load: ['input/tex-full', 'output/svg', 'a11y/assistive-mml'] },
  svg: { fontCache: 'local' },                             // each formula whole: it may be carried to another page
}).then(({ startup: { adaptor }, tex2svg }) => {
  const formulas = JSON.parse(require('fs').readFileSync(0, 'utf-8'));
  console.log(JSON.stringify(formulas.map(([tex, display]) => adaptor.outerHTML(tex2svg(tex, { display })))));
});
