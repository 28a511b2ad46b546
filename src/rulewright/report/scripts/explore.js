// Explore: rules that are sorted and filtered, the cases of a rule, and of a cell of the confusion matrix.
import { button, chip, count, element, fill } from "./elements.js";
import { caseList } from "./case_list.js";
import { conditionOf } from "./conditions.js";
import { conditionIn, memberOf } from "./programs.js";

const OVERLAPS = 5;

function placesWhere(store, wanted) {
  const { answers, outputs } = store.learnt;
  const found = [];
  for (let row = 0; row < store.rows.size; row += 1) {
    if (wanted(answers[row], outputs[answers[row]], store.rows.classes[row], row)) found.push(row);
  }
  return found;
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

function ruleDetail(number, store) {
  const { data } = store;
  const output = store.learnt.outputs[number];
  const right = placesWhere(store, (answer, own, actual) => answer === number && own === actual);
  const wrong = placesWhere(store, (answer, own, actual) => answer === number && own !== actual);
  const parts = [...caseList("Right", right, store), ...caseList(output < 0 ? "Unanswered" : "Wrong", wrong, store)];
  const shared = overlaps(number, [...right, ...wrong], store);
  if (shared.length > 0) {
    parts.push(element("p", {}, "Of these cases, other rules hold too: ",
      shared.map(([other, size]) => `rule ${other + 1} on ${size.toLocaleString("en")}`).join(", "), "."));
  }
  if (data.body.node === "rule_vote") {
    parts.push(element("p", { class: "soft" }, "A case is listed at the heaviest of the rules that voted for its answer."));
  }
  return parts;
}

function openDetail(row, trigger, columns, content) {
  const open = trigger.getAttribute("aria-expanded") === "true";
  trigger.setAttribute("aria-expanded", String(!open));
  if (open) row.nextElementSibling.remove();
  else row.after(element("tr", { class: "detail" }, element("td", { colspan: columns }, content())));
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

export function showRules(table, tools, store) {
  const { data } = store;
  const [body] = table.tBodies;
  makeSortable(table);
  for (const row of [...body.rows]) {
    const number = Number(row.dataset.rule);
    const cell = row.cells[0];
    const trigger = button(cell.textContent, () => openDetail(row, trigger, row.cells.length, () => ruleDetail(number, store)),
      { "aria-expanded": "false", "aria-label": `cases of number ${number + 1}` });
    fill(cell, trigger);
  }
  const words = element("input", { type: "search", id: "rule-words", input: filter, autocomplete: "off" });
  const wanted = element("select", { id: "rule-class", change: filter }, element("option", { value: "" }, "any"),
    data.classes.map((label, c) => element("option", { value: c }, label)));
  const errors = element("input", { type: "checkbox", id: "rule-errors", change: filter });
  const found = element("span", { class: "soft", "aria-live": "polite" });
  const lines = [...body.rows];

  function filter() {
    closeDetails(body);
    const text = words.value.trim().toLowerCase();
    for (const row of lines) {
      const number = Number(row.dataset.rule);
      const wrong = store.current().before.counts[number].some((size, c) => size > 0 && c !== store.learnt.outputs[number]);
      row.hidden = !(row.textContent.toLowerCase().includes(text)
        && (wanted.value === "" || Number(wanted.value) === store.learnt.outputs[number]) && (!errors.checked || wrong));
    }
    fill(found, `${count(lines.filter((row) => !row.hidden).length, "line")} of ${lines.length}`);
  }

  tools.append(element("label", { for: "rule-words" }, "with the words "), words,
    element("label", { for: "rule-class" }, " that answer "), wanted,
    element("label", {}, errors, " with errors only"), found);
  filter();
}

export function showConfusion(table, panel, store) {
  const { data } = store;
  for (const cell of table.querySelectorAll("td[data-actual]")) {
    const actual = Number(cell.dataset.actual);
    const output = Number(cell.dataset.answer) === data.classes.length ? -1 : Number(cell.dataset.answer);
    const answerText = output < 0 ? "no answer" : data.classes[output];
    fill(cell, button(cell.textContent, () => {
      for (const each of table.querySelectorAll("[aria-pressed=true]")) each.setAttribute("aria-pressed", "false");
      cell.firstChild.setAttribute("aria-pressed", "true");
      fill(panel, cellView(actual, output, store));
    }, { "aria-pressed": "false", "aria-label": `${cell.textContent} cases of ${data.classes[actual]} with the answer ${answerText}` }));
  }
}

function cellView(actual, output, store) {
  const { data } = store;
  const places = placesWhere(store, (_, own, label) => own === output && label === actual);
  const numbers = [...new Set(places.map((row) => store.learnt.answers[row]))].sort((a, b) => a - b);
  const unit = data.body.node === "tree" ? "leaf" : "rule";
  return [element("h3", {}, "Cases of ", chip(actual, data.classes), " with the answer ", chip(output, data.classes)),
    places.length === 0 ? element("p", {}, "There are none.") : null,
    numbers.map((number) => caseList(`${unit} ${number + 1}`,
      places.filter((row) => store.learnt.answers[row] === number), store))];
}
