// What a search shows first: pages whose title has the word, or the course's own word for it.

const OURS = { rotary: 'rope', extrapolation: 'length', frequency: 'waves' };
const wanted = new URLSearchParams(location.search).get('q')?.toLowerCase() ?? '';
const inTitle = title =>
  [wanted, OURS[wanted]].some(word => word && title.toLowerCase().includes(word));
// Sphinx's script declares it once more.
var Scorer = {
  score: ([, title, , , score]) => score + (inTitle(title) ? 100 : 0),
  objNameMatch: 11, objPartialMatch: 6, objPrio: {}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
