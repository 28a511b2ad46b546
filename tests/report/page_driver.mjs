// Run the modules of a page without a browser: node page_driver.mjs SCRIPTS JOBS
// A job is a model with its page data and rows. The answer has what the page computes for it.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [scripts, jobs] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${scripts}/${name}.js`));
const { codedCase, codedRows } = await load("coding");
const edits = await load("edits");
const { answersOf, measured } = await load("measures");
const { makeStore } = await load("store");
const { modelFile, rulesFile } = await load("texts");
const { changes } = await load("try_case");

let seed = 7;
function random(limit) {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor((seed / 2147483648) * limit);
}

function drawnEdit(state, body, data) {
  const choices = [];
  const visit = (node, inJunction) => {
    if (node.test !== undefined) {
      if (inJunction) choices.push(() => edits.withTest(state, node.place, false));
      if (node.at === undefined) return;
      const { cuts } = data.fields[data.rows.places[node.test]];
      const ends = edits.cutsAt(node, state);
      if (node.at.length === 1) choices.push(() => edits.withCut(state, node, 0, random(cuts.length)));
      else if (ends[1] + 1 < cuts.length) choices.push(() => edits.withCut(state, node, 1, ends[1] + 1));
      return;
    }
    const some = (node.parts || []).filter((part) => part.test !== undefined && !state.dropped.has(part.place));
    const junction = ["all_of", "any_of"].includes(node.node) && some.length > 1;
    (node.parts || [node.part]).forEach((part) => visit(part, junction));
  };
  if (body.node === "tree") {
    body.nodes.forEach((node, number) => {
      if (node.node === "leaf") return;
      choices.push(() => edits.withLeaf(state, number, true));
      node.tests.forEach((test) => visit(test, false));
    });
  } else {
    state.order.forEach((number) => {
      const unit = Object.values(body).find((member) => Array.isArray(member) && typeof member[0] === "object")[number];
      choices.push(() => edits.withRule(state, number, false), () => edits.withMove(state, number, 1));
      visit(unit.condition === undefined ? unit : unit.condition, false);
    });
  }
  return choices.length > 0 ? choices[random(choices.length)]() : state;
}

function edited(store, data) {
  for (let step = 0; step < 3; step += 1) {
    store.change(drawnEdit(store.current().state, data.body, data));
  }
  const { body, found, measures } = store.current();
  return {
    file: modelFile(body, measures.counts, data),
    rules: data.written === null ? null : rulesFile(body, data),
    answers: Array.from(found.answers, (answer) => found.outputs[answer]),
    errors: measures.errors,
    confusion: measures.confusion,
  };
}

// The rule of each row, coded as a case that a person types.
function typed(rows, exported, data, deciderOf) {
  return rows.map((row) => {
    const codes = codedCase(exported.read(new Map(row)), exported.COLUMNS, data, exported.TRUTHS);
    return answersOf(data.body, data, { codes, size: 1 }, deciderOf).answers[0];
  });
}

const results = JSON.parse(readFileSync(jobs, "utf-8")).map(({ script, data, rows, off, edits: count }) => {
  const { exported, deciderOf } = new Function(`${script}; return { exported, deciderOf };`)();
  const store = makeStore(data, codedRows(data.rows), deciderOf);
  const result = { learnt: Array.from(store.learnt.answers), edited: [], typed: null, changes: null };
  result.confusion = measured(store.learnt, store.rows, data.classes.length, data.costs).confusion;
  if (exported !== null && rows !== null) {
    result.typed = typed(rows, exported, data, deciderOf);
    const row = new Map(rows[0]);
    result.changes = changes(row, exported.predict(row).class, data.inputs, exported)
      .map((each) => [each.name, each.class]);
  }
  if (off !== undefined) {
    store.change(edits.withRule(store.first, off, false));
    const { answers, outputs } = store.current().found;
    result.switched = Array.from(answers, (answer) => outputs[answer]);
    store.undo();
  }
  for (let i = 0; i < count; i += 1) {
    result.edited.push(edited(store, data));
    store.change(store.first);
  }
  return result;
});
writeFileSync(1, JSON.stringify(results));
