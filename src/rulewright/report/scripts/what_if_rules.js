// What if, for models of rules: switches, sliders and places of the rules.
import { button, chip, count, element, setAttribute, setText } from "./elements.js";
import { cutsAt, editedCondition, withCut, withMove, withRule, withTest } from "./edits.js";
import { conditionOf } from "./conditions.js";
import { conditionIn, memberOf } from "./programs.js";
import { conditionText, testText } from "./texts.js";

const ORDERED = new Set(["rule_list"]);
const LONG = 50; // rules: those of a longer list are laid out when they come into sight

// The tests of a condition that may be switched off: parts of a conjunction or disjunction.
function switchable(condition) {
  if (!["all_of", "any_of"].includes(condition.node) || condition.parts.length < 2) return new Set();
  return new Set(condition.parts.filter((part) => part.test !== undefined).map((part) => part.place));
}

export function testsIn(condition) {
  if (condition.test !== undefined) return [condition];
  return (condition.parts || [condition.part]).flatMap(testsIn);
}

// A slider for each cut of a test.
export function sliders(node, store, updates) {
  if (node.at === undefined) return [];
  const { cuts, texts } = store.data.fields[store.data.rows.places[node.test]];
  if (cuts.length < 2) return [];
  return node.at.map((_, end) => {
    const slider = element("input", {
      type: "range", min: 0, max: cuts.length - 1, step: 1, "data-place": node.place, "data-end": end,
      "aria-label": `cut of ${store.data.tests[node.test].text}`,
      input: () => {
        const { state } = store.current();
        const limits = cutsAt(node, state);
        let at = Number(slider.value);
        if (node.at.length > 1) at = end === 0 ? Math.min(at, limits[1] - 1) : Math.max(at, limits[0] + 1);
        store.change(withCut(state, node, end, at), `cut ${node.place}:${end}`);
      },
    });
    updates.push(({ state }) => {
      const at = cutsAt(node, state)[end];
      slider.value = String(at);
      setAttribute(slider, "aria-valuetext", texts[at]);
    });
    return slider;
  });
}

// A line of the editor: its text, and beside it the sliders, if any.
export function editorLine(text, beside) {
  return beside.length === 0 ? element("div", { class: "line plain" }, text)
    : element("div", { class: "line" }, text, element("span", { class: "sliders" }, beside));
}

function testLine(node, isSwitch, others, store, updates) {
  const text = element("span", { class: "test" });
  const box = element("input", {
    type: "checkbox",
    "data-test": node.place,
    change: () => store.change(withTest(store.current().state, node.place, box.checked)),
  });
  updates.push(({ state }) => {
    const kept = others.filter((place) => !state.dropped.has(place));
    box.checked = !state.dropped.has(node.place);
    box.disabled = !isSwitch || (box.checked && kept.length === 1);
    setText(text, testText(editedCondition(node, state, store.data), store.data));
    text.classList.toggle("off", !box.checked);
    text.classList.toggle("moved", node.at !== undefined && cutsAt(node, state).some((at, end) => at !== node.at[end]));
  });
  return editorLine(element("label", { class: "tick" }, isSwitch ? box : null, text), sliders(node, store, updates));
}

function unitView(number, unit, store, updates) {
  const { data } = store;
  const { body } = data;
  const condition = conditionIn(unit);
  const canDrop = switchable(condition);
  const numbers = element("span", { class: "fit" });
  const box = element("input", {
    type: "checkbox",
    "data-rule": number,
    change: () => store.change(withRule(store.current().state, number, box.checked)),
  });
  const tests = testsIn(condition);
  const move = (text, step) => button(text, (event) => {
    store.change(withMove(store.current().state, number, step));
    event.target.focus();
  }, { "aria-label": `move rule ${number + 1} ${step < 0 ? "up" : "down"}`, "data-move": `${number}:${step}` });
  const up = move("↑", -1);
  const down = move("↓", 1);
  const item = element("li", { "data-unit": number },
    element("div", { class: "rule-head" },
      element("label", {}, box, ` ${number + 1}. `, answerText(unit, body, data)), numbers,
      ORDERED.has(body.node) ? element("span", { class: "moves" }, up, down) : null),
    compound(condition) ? element("p", { class: "soft" }, data.tests.length > 0 ? conditionText(condition, data) : "") : null,
    tests.map((test) => testLine(test, canDrop.has(test.place), [...canDrop], store, updates)));
  updates.push(({ state, measures, body: edited }) => {
    box.checked = !state.off.has(number);
    item.classList.toggle("off", !box.checked);
    setAttribute(up, "aria-disabled", String(state.order[0] === number));
    setAttribute(down, "aria-disabled", String(state.order[state.order.length - 1] === number));
    const kept = state.order.filter((each) => !state.off.has(each));
    setText(numbers, fitText(kept.indexOf(number), edited, measures, store));
  });
  return item;
}

// Conditions other than a test, or some tests that must all hold.
function compound(condition) {
  if (condition.test !== undefined) return false;
  return condition.node !== "all_of" || condition.parts.some((part) => part.test === undefined);
}

function answerText(unit, body, data) {
  if (unit.points !== undefined) {
    const points = [unit.points].flat().join(", ");
    return element("b", {}, points === "1" ? "1 point" : `${points} points`);
  }
  if (unit.output === undefined) return element("b", {}, "test");
  const weight = unit.weight === undefined ? "" : ` with weight ${unit.weight}`;
  return [chip(unit.output, data.classes), weight];
}

// The cases of a rule and the share of them that are right: in a vote those on which it holds.
function fitText(place, body, measures, store) {
  if (place < 0) return "off";
  if (!["rule_list", "rule_vote", "disjunction"].includes(body.node)) return "";
  const output = body.node === "disjunction" ? body.then : body[memberOf(body)][place].output;
  const counts = body.node === "rule_vote" ? countsWhere(body.voters[place].condition, store) : measures.counts[place];
  const cases = counts.reduce((sum, size) => sum + size, 0);
  const right = cases > 0 ? `, ${(100 * counts[output] / cases).toFixed(1)} % right` : "";
  return `${count(cases, "case")}${right}`;
}

// The training rows of each class on which a condition holds.
export function countsWhere(condition, { data, rows }) {
  const holds = conditionOf(condition, data, rows.codes);
  const counts = data.classes.map(() => 0);
  for (let row = 0; row < rows.size; row += 1) {
    if (holds(row)) counts[rows.classes[row]] += rows.counts === null ? 1 : rows.counts[row];
  }
  return counts;
}

export function ruleEditor(store) {
  const { body } = store.data;
  const updates = [];
  const items = body[memberOf(body)].map((unit, number) => unitView(number, unit, store, updates));
  const list = element("ol", { class: items.length > LONG ? "editor long" : "editor" }, items);
  let shown = null;
  store.listen((now) => {
    if (shown === null || shown.some((number, place) => number !== now.state.order[place])) {
      shown = now.state.order;
      list.append(...shown.map((number) => items[number]));
    }
    for (const update of updates) update(now);
  });
  return list;
}
