// Scores of Sphinx's search. Pages with the words in their title come first, the shortest title
// before the others, and notes for developers come last.
const asked = (new URLSearchParams(window.location.search).get("q") ?? "").trim().toLowerCase();
var Scorer = {
  score: ([page, title, , , score]) => {
    const named = asked && title.toLowerCase().includes(asked);
    const forDevelopers = /^(adr\/|[A-Z_]+$)/.test(page);
    return score + (named ? 6 - title.length / 50 : 0) - (forDevelopers ? 12 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
