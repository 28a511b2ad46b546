// Try a case: the answer of the exported model, why, and what would change it.
import { breakable, chip, count, element, fill, percent, table } from "./elements.js";
import { codedCase } from "./coding.js";
import { conditionOf, testsOf } from "./conditions.js";
import { conditionIn, memberOf } from "./programs.js";
import { answersOf } from "./measures.js";
import { conditionText, testText } from "./texts.js";
import { rowNumber } from "./case_list.js";

const MAX_FAILED = 20;
const BITS = new DataView(new ArrayBuffer(8));

// The next double above a finite number, or below it.
export function nextDouble(x, up) {
  if (x === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE;
  BITS.setFloat64(0, x);
  BITS.setBigInt64(0, BITS.getBigInt64(0) + ((x > 0) === up ? 1n : -1n));
  return BITS.getFloat64(0);
}

// What is typed, as the export reads it: a number, a text, or null for a missing value.
export function typedValue(text, kind) {
  const bare = text.trim();
  if (bare === "") return null;
  if (kind !== "numeric") return kind === "text" ? text : bare;
  const number = Number(bare);
  if (Number.isNaN(number)) throw new Error(`“${bare}” is not a number.`);
  return number;
}

// Other values of a column to try: what the export reads, and a text. Numbers come nearest first;
// `now` is the number of the case, NaN where it is missing or a category.
export function otherValues(input, value, now) {
  const missing = value === null ? [] : [[null, "missing"]];
  if (input.categories.length > 0) {
    return [...input.categories.filter((text) => text !== value).map((text) => [text, text]), ...missing];
  }
  let values = input.tried.map(([number, text]) => [number, input.kind === "numeric" ? number : text, text]);
  if (input.kind === "numeric") {
    values = values.concat(input.cuts.flatMap((cut, i) => [
      [cut, cut, input.texts[i]],
      [nextDouble(cut, true), nextDouble(cut, true), `just above ${input.texts[i]}`],
      [nextDouble(cut, false), nextDouble(cut, false), `just below ${input.texts[i]}`],
    ]));
  }
  const others = values.filter(([number]) => number !== now);
  if (now === now) others.sort((a, b) => Math.abs(a[0] - now) - Math.abs(b[0] - now));
  return [...others.map(([, given, text]) => [given, text]), ...missing];
}

// The nearest change of each column that changes the class, one for each class it leads to.
export function changes(row, answer, inputs, exported) {
  const found = [];
  const numbers = exported.read(row);
  for (const input of inputs) {
    const seen = new Set([answer]);
    const place = exported.COLUMNS.findIndex(([name]) => name === input.name);
    const now = typeof numbers[place] === "number" ? numbers[place] : NaN;
    for (const [other, text] of otherValues(input, row.get(input.name), now)) {
      const result = exported.predict(new Map(row).set(input.name, other)).class;
      if (seen.has(result)) continue;
      seen.add(result);
      found.push({ name: input.name, text, class: result });
    }
  }
  return found;
}

function inputOf(input, changed) {
  const id = `try-${input.number}`;
  const label = element("label", { for: id }, breakable(input.name), " ", element("small", {}, HINTS[input.kind] || ""));
  if (input.kind === "boolean") {
    const options = [...input.categories, ""].map((text) => element("option", { value: text, selected: text === input.usual },
      text === "" ? "missing" : text));
    return [label, element("select", { id, change: changed }, options)];
  }
  const numeric = input.kind === "numeric";
  const listed = input.categories.length > 0 ? `${id}-list` : null;
  return [label,
    element("input", { id, type: "text", value: input.usual, input: changed, list: listed, autocomplete: "off",
      inputmode: numeric ? "decimal" : null, placeholder: "missing" }),
    listed && element("datalist", { id: listed }, input.categories.map((text) => element("option", { value: text })))];
}

const HINTS = {
  date: "date, such as 2024-03-31",
  datetime: "such as 2024-03-31 14:30",
  instant: "such as 2024-03-31 14:30Z",
  duration: "such as 3 days 04:00",
};

export function showTryCase(section, exported, store) {
  const { data, rows } = store;
  const inputs = data.inputs.map((input, number) => ({ ...input, number }));
  const out = element("div", { class: "result", "aria-live": "polite", id: "try-answer" });
  const form = element("form", { class: "case", submit: (event) => event.preventDefault() },
    inputs.map((input) => element("div", { class: "field" }, inputOf(input, update))));

  function typed() {
    const row = new Map();
    for (const input of inputs) {
      const control = form.querySelector(`#try-${input.number}`);
      control.removeAttribute("aria-invalid");
      try {
        row.set(input.name, typedValue(control.value, input.kind));
      } catch (error) {
        control.setAttribute("aria-invalid", "true");
        throw new Error(`${input.name}: ${error.message}`);
      }
    }
    return row;
  }

  function update() {
    try {
      const row = typed();
      fill(out, answerView(row, exported, inputs, store));
    } catch (error) {
      fill(out, element("p", { class: "caution" }, error.message));
    }
  }

  function pick(event) {
    for (const input of inputs) {
      const cells = data.values.cells[data.values.names.indexOf(input.name)];
      const cell = event.target.value === "" ? input.usual : cells[Number(event.target.value)];
      form.querySelector(`#try-${input.number}`).value = cell === null ? "" : String(cell);
    }
    update();
  }

  const picker = data.values === null ? null : element("p", {}, element("label", { for: "try-row" }, "Take the values of row "),
    element("select", { id: "try-row", change: pick }, element("option", { value: "" }, "(usual values)"),
      data.values.cells[0].map((_, row) => element("option", { value: row },
        `${rowNumber(rows, row)} (${data.classes[rows.classes[row]]})`))));
  section.append(element("p", { class: "soft" },
    "Type the values of a case. A field that is left empty is a missing value."), ...(picker === null ? [] : [picker]), form, out);
  update();
  store.listen(update);
}

function answerView(row, exported, inputs, store) {
  const { data } = store;
  const answer = exported.predict(row);
  const values = exported.read(row);
  const codes = codedCase(values, exported.COLUMNS, data, exported.TRUTHS);
  const output = exported.OUTPUTS[answer.rule - 1];
  const labels = exported.CLASSES;
  const name = (label) => chip(labels.indexOf(label), data.classes);
  const parts = [element("p", { class: "verdict" }, chip(output, data.classes),
    ` by ${data.body.node === "tree" ? "leaf" : "rule"} ${answer.rule}: ${answer.reason}`)];
  parts.push(whyView(row, answer, codes, store));
  const next = runnerUp(answer, codes, store, exported);
  parts.push(element("p", {}, "Runner-up: ", next === null ? "nothing else would answer." : next));
  parts.push(element("p", { class: "soft" }, "Probability of ", data.classes.map((label, c) => [
    c > 0 ? ", " : "", `${label} ${percent(answer.probabilities[c])}`]).flat().join(""), "."));
  const other = changes(row, answer.class, inputs, exported);
  parts.push(element("h3", {}, "What would change the answer, one column at a time"));
  parts.push(other.length === 0 ? element("p", {}, "No other value of a single column that was tried changes the answer.")
    : table([["column", ""], ["now", ""], ["if it were", ""], ["answer", ""]],
      other.map((each) => [breakable(each.name), valueText(row.get(each.name)), each.text, name(each.class)]), { id: "try-changes" }));
  const edited = store.current();
  if (edited.edited) {
    const single = { codes, size: 1 };
    const found = answersOf(edited.body, data, single, store.deciderOf);
    parts.push(element("p", { id: "try-edited" }, "The edited model (not certified) answers ",
      chip(found.outputs[found.answers[0]], data.classes), "."));
  }
  return parts;
}

function valueText(value) {
  return value === null ? "missing" : String(value);
}

// The tests behind an answer, with the values of the case.
function whyView(row, answer, codes, { data }) {
  const { body } = data;
  const holds = (condition) => conditionOf(condition, data, codes)(0);
  if (body.node === "tree") return testsView(pathTests(body, data, codes), row, holds, data);
  if (body.node !== "rule_list") return unitsView(row, holds, data);
  if (answer.rule <= body.listed.length) return testsView(testsOf(body.listed[answer.rule - 1].condition), row, holds, data);
  return failuresView(row, holds, data);
}

function truthText(holds) {
  return holds ? "holds" : element("span", { class: "soft" }, "does not hold");
}

function testsView(tests, row, holds, data) {
  if (tests.length === 0) return element("p", {}, "It needs no test.");
  return table([["test", "w"], ["this case", ""], ["", "keep"]],
    tests.map((test) => [testText(test, data), valuesOf(test, row, data), truthText(holds(test))]), { "aria-label": "Tests behind the answer" });
}

// Why no rule of a list holds: the tests of each that fail.
function failuresView(row, holds, data) {
  const { listed } = data.body;
  const failed = (condition) => testsOf(condition).filter((test) => condition.node === "all_of" && !holds(test));
  const lines = listed.slice(0, MAX_FAILED).map(({ condition }, number) => {
    const tests = failed(condition);
    const whole = tests.length > 0 ? tests : [condition];
    return [String(number + 1), whole.map((test) => conditionText(test, data)).join(", "), valuesOf({ parts: whole }, row, data)];
  });
  if (lines.length === 0) return element("p", {}, "It needs no test.");
  const more = listed.length - lines.length;
  return [table([["rule", "n"], ["does not hold: needs", "w"], ["this case", "w"]], lines, { "aria-label": "Tests that fail" }),
    more > 0 ? element("p", { class: "soft" }, `${count(more, "more rule", "more rules")} do not hold either.`) : null];
}

// Every part of a vote, a scorecard, a conjunction or a disjunction, and the sum of the points.
function unitsView(row, holds, data) {
  const { body } = data;
  const units = body[memberOf(body)];
  const given = units.map((unit) => (unit.points === undefined ? unit.weight : unit.points));
  const lines = units.map((unit, number) => {
    const condition = conditionIn(unit);
    const held = holds(condition);
    const amount = given[number] === undefined ? "" : [given[number]].flat().join(", ");
    return [conditionText(condition, data), valuesOf(condition, row, data), truthText(held), held ? amount : element("span", { class: "soft" }, amount)];
  });
  if (body.node === "scorecard") {
    const total = units.reduce((sum, unit, number) => sum + (holds(unit.condition) ? given[number] : 0), 0);
    lines.push([element("b", {}, "total of the points that hold"), "", "", element("b", {}, String(total))]);
  }
  if (lines.length === 0) return element("p", {}, "It needs no test.");
  const head = [["test", "w"], ["this case", ""], ["", "keep"], [body.node === "rule_vote" ? "weight" : "points", "n"]];
  const counted = given.some((amount) => amount !== undefined);
  return table(counted ? head : head.slice(0, 3), counted ? lines : lines.map((line) => line.slice(0, 3)),
    { "aria-label": "Tests behind the answer" });
}

// The values that a condition looks at, with the names of their columns where there are several.
function valuesOf(condition, row, data) {
  const names = [...new Set(testsOf(condition).flatMap((test) => data.tests[test.test].columns))];
  return names.map((name) => (names.length > 1 ? `${name} ${valueText(row.get(name))}` : valueText(row.get(name)))).join(", ");
}

// The tests on the way to a leaf; where a split shares the case out, the way ends.
export function pathTests(body, data, codes) {
  const tests = [];
  let node = body.nodes[0];
  while (node.node === "split") {
    const truths = node.tests.map((test) => conditionOf(test, data, codes)(0));
    const first = truths.indexOf(true);
    const asked = first < 0 ? node.tests : node.tests.slice(0, first + 1);
    tests.push(...asked.flatMap(testsOf));
    if (node.shares.length > 0 && !truths.includes(true) && isShared(node, data, codes)) break;
    node = body.nodes[node.branches[first < 0 ? node.branches.length - 1 : first]];
  }
  return tests;
}

function isShared(node, data, codes) {
  return node.missing_fields.some((place) => {
    const { cuts } = data.fields[place];
    return codes[place][0] === (cuts === null ? 1 : 2 * cuts.length + 1);
  });
}

// What would answer otherwise: in a list the next rule that holds, elsewhere the next class.
export function runnerUp(answer, codes, { data }, exported) {
  const { body } = data;
  if (body.node === "rule_list" && answer.rule <= body.listed.length) {
    const after = body.listed.slice(answer.rule).findIndex((rule) => conditionOf(rule.condition, data, codes)(0));
    const number = after < 0 ? body.listed.length : answer.rule + after;
    const output = exported.OUTPUTS[number];
    const text = after < 0 ? "otherwise" : conditionText(body.listed[number].condition, data);
    return [chip(output, data.classes), ` by rule ${number + 1}: ${text}`];
  }
  const own = exported.OUTPUTS[answer.rule - 1];
  const others = answer.probabilities.map((share, c) => [share, c]).filter(([share, c]) => c !== own && share > 0);
  if (others.length === 0) return null;
  const [share, next] = others.reduce((most, each) => (each[0] > most[0] ? each : most));
  return [chip(next, data.classes), ` with a probability of ${percent(share)}`];
}
