// What if, for trees: cuts are moved, and a split becomes a leaf. Deep levels open on demand.
import { chip, count, element, setText } from "./elements.js";
import { editedCondition, withLeaf } from "./edits.js";
import { conditionText } from "./texts.js";
import { editorLine, sliders, testsIn } from "./what_if_rules.js";

const OPEN_DEPTH = 2;

export function treeEditor(store) {
  const updates = [];
  const root = element("ul", { class: "editor tree-editor" }, nodeView(0, 0, "", store, updates));
  store.listen((now) => {
    for (const update of updates) update(now);
  });
  return root;
}

function nodeView(number, depth, lead, store, updates) {
  const { data } = store;
  const node = data.body.nodes[number];
  if (node.node === "leaf") {
    return element("li", {}, element("div", { class: "line plain" }, element("span", {}, lead, chip(node.output, data.classes)), rowsText(number, store)));
  }
  const texts = node.tests.map(() => element("span", { class: "test" }));
  const box = element("input", {
    type: "checkbox",
    "data-leaf": number,
    change: () => store.change(withLeaf(store.current().state, number, box.checked)),
  });
  const answer = chip(store.majorities[number], data.classes);
  const below = element("details", { open: depth < OPEN_DEPTH }, element("summary", {}, count(leavesBelow(data.body, number), "leaf", "leaves")));
  const open = () => {
    if (!below.open || below.children.length > 1) return;
    below.append(element("ul", {}, node.branches.map((branch, place) => nodeView(
      branch, depth + 1, leadOf(node, place), store, updates))));
    for (const update of updates) update(store.current());
  };
  below.addEventListener("toggle", open);
  const item = element("li", {}, node.tests.map((test, place) => editorLine(
    element("span", {}, place === 0 ? lead : null, texts[place]), testsIn(test).flatMap((each) => sliders(each, store, updates)))),
  element("div", { class: "line plain" }, element("label", {}, box, " stop here and answer ", answer), rowsText(number, store)), below);
  updates.push(({ state }) => {
    node.tests.forEach((test, place) => setText(texts[place],
      `${place + 1 < node.tests.length || node.tests.length > 1 ? `${place + 1}. ` : ""}${conditionText(editedCondition(test, state, data), data)}`));
    box.checked = state.leaves.has(number);
    item.classList.toggle("off", box.checked);
  });
  if (below.open) open();
  return item;
}

function rowsText(number, { reached }) {
  return element("span", { class: "fit" }, count(reached[number].reduce((sum, size) => sum + size, 0), "row"));
}

function leavesBelow(body, number) {
  const { branches } = body.nodes[number];
  return branches === undefined ? 1 : branches.reduce((sum, branch) => sum + leavesBelow(body, branch), 0);
}

function leadOf(node, place) {
  if (node.tests.length === 1) return element("span", { class: "soft" }, place === 0 ? "if so: " : "if not: ");
  return element("span", { class: "soft" }, place < node.tests.length ? `if ${place + 1}: ` : "if none: ");
}
