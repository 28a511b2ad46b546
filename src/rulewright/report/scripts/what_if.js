// What if: the numbers of an edited model, the list of its edits, and its files.
import { button, chip, count, element, fill, grouped, percent, table } from "./elements.js";
import { cutsAt, withCost, withCut, withLeaf, withOrder, withRule, withTest } from "./edits.js";
import { modelFile, rulesFile, testText } from "./texts.js";
import { conditionIn, memberOf } from "./programs.js";
import { ruleEditor } from "./what_if_rules.js";
import { treeEditor } from "./what_if_tree.js";
import { testsOf } from "./conditions.js";

const MAX_MATRIX = 8;

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

// A difference with its sign, and nothing where there is none.
function change(was, is, text = grouped) {
  if (was === is) return "";
  return `${is > was ? "+" : "−"}${text(Math.abs(is - was))}`;
}

function numbersView({ measures, before, edited }, data) {
  const share = (part, whole) => `${grouped(part)} (${percent(part / whole)})`;
  const perCase = (numbers) => numbers.cost / numbers.total;
  const digits = (cost) => cost.toPrecision(4);
  const whole = before.answered === before.total && measures.answered === measures.total;
  const line = (name, member) => [name, share(before[member], before.total),
    edited ? share(measures[member], measures.total) : "–", edited ? change(before[member], measures[member]) : ""];
  const lines = [
    line(whole ? "wrong" : "wrong or unanswered", "errors"),
    ...(whole ? [] : [line("answered", "answered")]),
    ["cost of a case", digits(perCase(before)), edited ? digits(perCase(measures)) : "–",
      edited ? change(perCase(before), perCase(measures), digits) : ""],
  ];
  return table([["training rows", ""], ["learnt", "n"], ["edited", "n"], ["change", "n"]], lines,
    { id: "what-if-numbers", "aria-label": "Numbers of the learnt and of the edited model" });
}

// The confusion matrix of the edited model, with the differences from the learnt one.
function confusionView({ measures, before, edited }, data) {
  const size = data.classes.length;
  if (size > MAX_MATRIX) return null;
  const answered = measures.answered === measures.total && before.answered === before.total;
  const answers = answered ? data.classes : [...data.classes, "no answer"];
  const head = [["actual", ""], ...answers.map((label) => [`as ${label}`, "n"])];
  const lines = data.classes.map((label, actual) => [chip(actual, data.classes), ...answers.map((_, answer) => {
    const is = measures.confusion[actual][answer];
    const moved = edited ? change(before.confusion[actual][answer], is) : "";
    return [grouped(is), moved === "" ? null : element("small", { class: "moved" }, ` ${moved}`)];
  })]);
  return table(head, lines, { id: "what-if-confusion", "aria-label": "Confusion matrix of the edited model" });
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
  const fields = data.classes.map((_, output) => {
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
    return element("span", { class: "field" }, element("label", { for: id }, chip(output, data.classes)), input);
  });
  return element("fieldset", { class: "costs" }, element("legend", {}, "Cost of a wrong answer, by actual class"), fields);
}

function commandView(data) {
  if (data.written === null) {
    return [element("p", { class: "soft" }, "To certify an edited tree of tests of single columns:"),
      element("pre", { tabindex: "0" }, "rulewright certify edited.json DATA")];
  }
  return [element("p", { class: "soft" }, "To certify the edited rules:"),
    element("pre", { tabindex: "0" }, "rulewright certify rules.txt DATA --target CLASS --like MODEL --out NEW")];
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
    element("div", { class: "side-by-side" },
      element("div", {}, data.body.node === "tree" ? treeEditor(store) : ruleEditor(store)),
      element("div", { class: "sticky" }, notice, numbers, costFields(store),
        element("h3", {}, "Edits"), edits, element("p", { class: "buttons" }, undo, reset), files, commandView(data))));
  store.listen((now) => {
    fill(notice, element("b", {}, now.edited ? "Edited: not certified. " : "Not edited. "),
      now.edited ? "The certificate of this page is about the learnt model and no other." : "This is the certified model.");
    notice.className = now.edited ? "caution" : "soft";
    fill(numbers, numbersView(now, data), confusionView(now, data));
    const listed = listedEdits(store, tests);
    fill(edits, listed.length === 0 ? element("li", { class: "none" }, "none so far") : listed.map((edit) => element("li", {}, edit.text, " ",
      button("take back", () => store.change(edit.undone), { "aria-label": `take back: ${edit.text}` }))));
    undo.disabled = !store.canUndo();
    reset.disabled = !now.edited;
  });
}
