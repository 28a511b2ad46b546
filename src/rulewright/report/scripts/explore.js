// Explore: rules that are sorted and filtered, the cases of a rule, and of a cell of the confusion matrix.
import { button, chip, count, element, fill, grouped } from "./elements.js";
import { caseList } from "./case_list.js";
import { conditionOf } from "./conditions.js";
import { conditionIn, memberOf } from "./programs.js";

const OVERLAPS = 5;

function placesWhere(store, wanted) {
  const found = [];
  for (let row = 0; row < store.rows.size; row += 1) if (wanted(row)) found.push(row);
  return found;
}

// Whether a row is in a cell of the confusion matrix; every row is in no cell.
function inCell(cell, row, { learnt, rows }) {
  return cell === null || (rows.classes[row] === cell.actual && learnt.outputs[learnt.answers[row]] === cell.output);
}

// Whether a row is a case of a rule: one that it answers, or in a vote one on which it holds. The
// last line of a vote has the cases on which no rule holds.
function isCaseOf(number, { data, rows, learnt }) {
  if (data.body.node !== "rule_vote") return (row) => learnt.answers[row] === number;
  const holds = data.body.voters.map((voter) => conditionOf(voter.condition, data, rows.codes));
  return number < holds.length ? holds[number] : (row) => !holds.some((each) => each(row));
}

// The cases of a rule, right and wrong, those of a cell only.
export function casesOf(number, cell, store) {
  const isCase = isCaseOf(number, store);
  const output = store.learnt.outputs[number];
  const cases = placesWhere(store, (row) => isCase(row) && inCell(cell, row, store));
  const isRight = (row) => store.rows.classes[row] === output;
  return { right: cases.filter(isRight), wrong: cases.filter((row) => !isRight(row)) };
}

function weightOf(places, rows) {
  return rows.counts === null ? places.length : places.reduce((sum, row) => sum + rows.counts[row], 0);
}

// Rules whose conditions hold on cases of a rule, with the number of these cases.
export function overlaps(number, places, store) {
  const { data, rows } = store;
  if (!["rule_list", "rule_vote", "disjunction"].includes(data.body.node)) return [];
  const units = data.body[memberOf(data.body)];
  return units.map((unit, other) => {
    const holds = conditionOf(conditionIn(unit), data, rows.codes);
    return [other, other === number ? 0 : weightOf(places.filter((row) => holds(row)), rows)];
  }).filter(([, size]) => size > 0).sort((a, b) => b[1] - a[1]).slice(0, OVERLAPS);
}

function ruleDetail(number, certified, cell, store) {
  const { data } = store;
  const { right, wrong } = casesOf(number, cell, store);
  const parts = certified === undefined ? [] : [element("p", {}, certified)];
  if (cell !== null) parts.push(element("p", { class: "soft" }, "Only cases of the chosen cell of the confusion matrix are listed."));
  parts.push(...caseList("Right", right, store), ...caseList(store.learnt.outputs[number] < 0 ? "Unanswered" : "Wrong", wrong, store));
  const shared = overlaps(number, [...right, ...wrong], store);
  if (shared.length > 0) {
    parts.push(element("p", {}, "Of these cases, other rules hold too: ",
      shared.map(([other, size]) => `rule ${other + 1} on ${grouped(size)}`).join(", "), "."));
  }
  if (data.body.node === "rule_vote") {
    parts.push(element("p", { class: "soft" }, "Right and wrong are the vote of this rule; together the rules may answer otherwise."));
  }
  return parts;
}

function openDetail(row, trigger, columns, content) {
  const open = trigger.getAttribute("aria-expanded") === "true";
  trigger.setAttribute("aria-expanded", String(!open));
  if (open) row.nextElementSibling.remove();
  else row.after(element("tr", { class: "detail" }, element("td", { colspan: columns }, element("div", {}, content()))));
}

function closeDetails(body) {
  for (const row of body.querySelectorAll("tr.detail")) row.remove();
  for (const each of body.querySelectorAll("[aria-expanded=true]")) each.setAttribute("aria-expanded", "false");
}

function sorted(body, place, numeric, downwards) {
  closeDetails(body);
  const keyOf = (row) => {
    const cell = row.cells[place];
    const key = cell.dataset.value === undefined ? cell.textContent : cell.dataset.value;
    return numeric ? Number(key) : key;
  };
  const compare = (a, b) => (numeric ? keyOf(a) - keyOf(b) : keyOf(a).localeCompare(keyOf(b)));
  body.append(...[...body.rows].sort((a, b) => (downwards ? compare(b, a) : compare(a, b))));
}

function makeSortable(table) {
  const [body] = table.tBodies;
  [...table.tHead.rows[0].cells].forEach((head, place) => {
    if (head.dataset.sort === undefined) return;
    const text = head.textContent;
    fill(head, button(text, () => {
      const downwards = head.getAttribute("aria-sort") === "ascending"
        || (head.getAttribute("aria-sort") === null && head.dataset.sort === "number-down");
      for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", downwards ? "descending" : "ascending");
      sorted(body, place, head.dataset.sort !== "text", downwards);
    }, { class: "sort" }));
  });
}

// Make the table of rules sortable and filterable. The result lists only the rules behind a cell of
// the confusion matrix, or all of them again (null).
export function showRules(table, tools, store) {
  const { data } = store;
  const [body] = table.tBodies;
  let cell = null;
  makeSortable(table);
  for (const row of [...body.rows]) {
    const number = Number(row.dataset.rule);
    const first = row.cells[0];
    const trigger = button(first.textContent,
      () => openDetail(row, trigger, row.cells.length, () => ruleDetail(number, row.dataset.certified, cell, store)),
      { "aria-expanded": "false", "aria-label": `cases of number ${number + 1}` });
    fill(first, trigger);
  }
  const words = element("input", { type: "search", id: "rule-words", input: filter, autocomplete: "off" });
  const wanted = element("select", { id: "rule-class", change: filter }, element("option", { value: "" }, "any"),
    data.classes.map((label, c) => element("option", { value: c }, label)));
  const errors = element("input", { type: "checkbox", id: "rule-errors", change: filter });
  const found = element("span", { class: "soft", "aria-live": "polite" });
  const chosen = element("span", { id: "rule-cell" });
  const lines = [...body.rows];
  const isWrong = new Map();

  function hasErrors(number) {
    if (!isWrong.has(number)) isWrong.set(number, casesOf(number, null, store).wrong.length > 0);
    return isWrong.get(number);
  }

  function inChosen(number) {
    if (cell === null) return true;
    const { right, wrong } = casesOf(number, cell, store);
    return right.length + wrong.length > 0;
  }

  function filter() {
    closeDetails(body);
    const text = words.value.trim().toLowerCase();
    for (const row of lines) {
      const number = Number(row.dataset.rule);
      row.hidden = !(row.textContent.toLowerCase().includes(text) && inChosen(number)
        && (wanted.value === "" || Number(wanted.value) === store.learnt.outputs[number]) && (!errors.checked || hasErrors(number)));
    }
    fill(found, `${count(lines.filter((row) => !row.hidden).length, "line")} of ${lines.length}`);
  }

  tools.append(element("label", { for: "rule-words" }, "with the words "), words,
    element("label", { for: "rule-class" }, " that answer "), wanted,
    element("label", {}, errors, " with errors only"), found, chosen);
  filter();
  return (other, clear) => {
    cell = other;
    fill(chosen, cell === null ? [] : [chip(cell.actual, data.classes), " predicted ", chip(cell.output, data.classes), " ",
      button("Show all", clear, { "aria-label": "show all rules again" })]);
    filter();
  };
}

// Make the numbers of the confusion matrix buttons that show their cases, and filter the rules.
export function showConfusion(table, panel, store, filterRules) {
  const { data } = store;
  let pressed = null;

  function choose(trigger, cell) {
    if (pressed !== null) pressed.setAttribute("aria-pressed", "false");
    pressed = trigger === pressed ? null : trigger;
    if (pressed !== null) pressed.setAttribute("aria-pressed", "true");
    fill(panel, pressed === null ? [] : cellView(cell, store));
    filterRules(pressed === null ? null : cell, () => choose(pressed, cell));
  }

  for (const place of table.querySelectorAll("td[data-actual]:not(.zero)")) {
    const last = Number(place.dataset.answer) === data.classes.length;
    const cell = { actual: Number(place.dataset.actual), output: last ? -1 : Number(place.dataset.answer) };
    const trigger = button(place.textContent, () => choose(trigger, cell), {
      "aria-pressed": "false",
      "aria-label": `${place.textContent} cases of ${data.classes[cell.actual]} with the answer ${last ? "no answer" : data.classes[cell.output]}`,
    });
    fill(place, trigger);
  }
}

function cellView(cell, store) {
  const { data, learnt } = store;
  const places = placesWhere(store, (row) => inCell(cell, row, store));
  const numbers = [...new Set(places.map((row) => learnt.answers[row]))].sort((a, b) => a - b);
  const unit = data.body.node === "tree" ? "leaf" : "rule";
  return [element("h3", {}, "Cases of ", chip(cell.actual, data.classes), " with the answer ", chip(cell.output, data.classes)),
    places.length === 0 ? element("p", {}, "There are none.") : null,
    numbers.map((number) => caseList(`${unit} ${number + 1}`, places.filter((row) => learnt.answers[row] === number), store))];
}
