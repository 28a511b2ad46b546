// What if: the numbers of an edited model, the list of its edits, and its files.
import { button, chip, count, element, fill, percent, table } from "./elements.js";
import { cutsAt, withCost, withCut, withLeaf, withOrder, withRule, withTest } from "./edits.js";
import { modelFile, rulesFile, testText } from "./texts.js";
import { conditionIn, memberOf } from "./programs.js";
import { ruleEditor } from "./what_if_rules.js";
import { treeEditor } from "./what_if_tree.js";
import { testsOf } from "./conditions.js";

// The tests of the learnt model with the number of the rule, or of the split, that has each.
function placedTests(body) {
  const units = body.node === "tree" ? body.nodes : body[memberOf(body)];
  return units.flatMap((unit, number) => {
    const conditions = body.node === "tree" ? unit.tests || [] : [conditionIn(unit)];
    return conditions.flatMap(testsOf).map((test) => [number, test]);
  });
}

// Each difference from the learnt model, with the state that takes it back.
export function listedEdits(store, tests) {
  const { state } = store.current();
  const { data, first } = store;
  const where = data.body.node === "tree" ? "test" : "rule";
  const edits = [...state.off].map((number) => ({
    text: `rule ${number + 1} is off`, undone: withRule(state, number, true),
  }));
  for (const [number, test] of tests) {
    const text = testText(test, data);
    if (state.dropped.has(test.place)) {
      edits.push({ text: `rule ${number + 1} without “${text}”`, undone: withTest(state, test.place, true) });
    }
    (test.at || []).forEach((at, end) => {
      const moved = cutsAt(test, state)[end];
      if (moved === at) return;
      const field = data.fields[data.rows.places[test.test]];
      edits.push({
        text: `${where} ${number + 1}, “${text}”: ${field.texts[at]} is now ${field.texts[moved]}`,
        undone: withCut(state, test, end, at),
      });
    });
  }
  for (const number of state.leaves) {
    edits.push({
      text: `the split at node ${number + 1} is a leaf that answers ${data.classes[store.majorities[number]]}`,
      undone: withLeaf(state, number, false),
    });
  }
  if (state.order.some((number, place) => number !== first.order[place])) {
    edits.push({
      text: `the order of the rules is ${state.order.map((number) => number + 1).join(", ")}`,
      undone: withOrder(state, first.order),
    });
  }
  return edits;
}

function numbersView({ measures, before, edited }, data) {
  const size = data.classes.length;
  const line = (name, was, is) => [name, was, edited ? is : "", edited && was !== is ? "changed" : ""];
  const share = (part, whole) => `${part.toLocaleString("en")} (${percent(part / whole)})`;
  const whole = before.answered === before.total && measures.answered === measures.total;
  const head = [["on the training rows", ""], ["learnt model", "n"], ["edited model", "n"], ["", ""]];
  const lines = [
    line(whole ? "wrong" : "wrong or unanswered", share(before.errors, before.total), share(measures.errors, measures.total)),
    line("answered", share(before.answered, before.total), share(measures.answered, measures.total)),
    line("cost of a case", (before.cost / before.total).toPrecision(4), (measures.cost / measures.total).toPrecision(4)),
  ];
  data.classes.forEach((label, actual) => {
    for (let answer = 0; answer <= size; answer += 1) {
      const was = before.confusion[actual][answer];
      const is = measures.confusion[actual][answer];
      if (was + is === 0 || size > 6) continue;
      lines.push(line([chip(actual, data.classes), " answered ", answer === size ? "not at all" : data.classes[answer]],
        was.toLocaleString("en"), is.toLocaleString("en")));
    }
  });
  return table(head, lines, { id: "what-if-numbers", "aria-label": "Numbers of the learnt and of the edited model" });
}

function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// In a frame of the workbench the edited model can be certified by the library.
function certifyButton(text) {
  if (window.parent === window || location.origin === "null") return null;
  return button("Certify the edited model", () => window.parent.postMessage({ edited: text() }, location.origin), { id: "certify-edited" });
}

function costFields(store) {
  const { data } = store;
  return data.classes.map((label, output) => {
    const id = `cost-${output}`;
    const input = element("input", {
      id, type: "number", min: 0, step: "any", value: data.costs[output],
      input: () => {
        const cost = Number(input.value);
        if (input.value === "" || !(cost >= 0)) input.setAttribute("aria-invalid", "true");
        else {
          input.removeAttribute("aria-invalid");
          store.change(withCost(store.current().state, output, cost), `cost ${output}`);
        }
      },
    });
    store.listen(({ state }) => {
      if (document.activeElement !== input) input.value = String(state.costs[output]);
    });
    return element("span", { class: "field" }, element("label", { for: id }, `a wrong answer for ${label} costs `), input);
  });
}

export function showWhatIf(section, store) {
  const { data } = store;
  const tests = placedTests(data.body);
  const notice = element("p", { id: "what-if-notice" });
  const numbers = element("div", { "aria-live": "polite" });
  const edits = element("ul", { id: "what-if-edits" });
  const undo = button("Undo the last edit", () => store.undo(), { id: "what-if-undo" });
  const reset = button("Take all edits back", () => store.change(store.first), { id: "what-if-reset" });
  const editedFile = () => {
    const { body, measures } = store.current();
    return modelFile(body, measures.counts, data);
  };
  const files = element("p", { class: "buttons" },
    data.head === null ? null : certifyButton(editedFile),
    data.head === null ? null : button("Download the model (JSON)", () => download("edited.json", editedFile()), { id: "download-model" }),
    data.written === null ? null : button("Download the rules file", () => download("rules.txt", rulesFile(store.current().body, data)),
      { id: "download-rules" }));
  section.append(
    element("p", { class: "soft" }, `Switch parts off, move cuts, and see at once what changes on the ${count(store.rows.total, "training row")}. `
      + "Each row counts once."),
    notice, element("div", { class: "side-by-side" },
      element("div", {}, data.body.node === "tree" ? treeEditor(store) : ruleEditor(store)),
      element("div", { class: "sticky" }, numbers, element("div", { class: "costs" }, costFields(store)),
        element("h3", {}, "Edits"), edits, element("p", { class: "buttons" }, undo, " ", reset), files,
        element("p", { class: "soft" }, data.written === null
          ? "rulewright certify prices an edited tree of tests of single columns, from its model file: rulewright certify edited.json DATA"
          : "To certify the edited model: rulewright certify rules.txt DATA --target CLASS --like MODEL --out NEW"))));
  store.listen((now) => {
    fill(notice, element("b", {}, now.edited ? "Edited: not certified. " : "Not edited. "),
      now.edited ? "The certificate of this page is about the learnt model and no other." : "");
    notice.className = now.edited ? "caution" : "soft";
    fill(numbers, numbersView(now, data));
    const listed = listedEdits(store, tests);
    fill(edits, listed.length === 0 ? element("li", { class: "soft" }, "none") : listed.map((edit) => element("li", {}, edit.text, " ",
      button("take back", () => store.change(edit.undone), { "aria-label": `take back: ${edit.text}` }))));
    undo.disabled = !store.canUndo();
    reset.disabled = !now.edited;
  });
}
