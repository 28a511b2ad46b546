// What if, for trees: cuts are moved, and a split becomes a leaf. Deep levels open on demand.
import { chip, element, fill } from "./elements.js";
import { editedCondition, withLeaf } from "./edits.js";
import { conditionText } from "./texts.js";
import { sliders, testsIn } from "./what_if_rules.js";

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
  if (node.node === "leaf") return element("li", {}, lead, chip(node.output, data.classes));
  const texts = node.tests.map(() => element("span", { class: "test" }));
  const box = element("input", {
    type: "checkbox",
    "data-leaf": number,
    change: () => store.change(withLeaf(store.current().state, number, box.checked)),
  });
  const answer = chip(store.majorities[number], data.classes);
  const below = element("details", { open: depth < OPEN_DEPTH }, element("summary", {}, "branches"));
  const open = () => {
    if (!below.open || below.children.length > 1) return;
    below.append(element("ul", {}, node.branches.map((branch, place) => nodeView(
      branch, depth + 1, leadOf(node, place), store, updates))));
    for (const update of updates) update(store.current());
  };
  below.addEventListener("toggle", open);
  const item = element("li", {}, lead, node.tests.map((test, place) => element("div", { class: "line" },
    texts[place], testsIn(test).map((each) => sliders(each, store, updates)))),
  element("label", {}, box, " answer ", answer, " here"), below);
  updates.push(({ state }) => {
    node.tests.forEach((test, place) => fill(texts[place],
      `${place + 1 < node.tests.length || node.tests.length > 1 ? `${place + 1}. ` : ""}${conditionText(editedCondition(test, state, data), data)}`));
    box.checked = state.leaves.has(number);
    item.classList.toggle("off", box.checked);
  });
  if (below.open) open();
  return item;
}

function leadOf(node, place) {
  if (node.tests.length === 1) return element("span", { class: "soft" }, place === 0 ? "if so: " : "if not: ");
  return element("span", { class: "soft" }, place < node.tests.length ? `if ${place + 1}: ` : "if none: ");
}
