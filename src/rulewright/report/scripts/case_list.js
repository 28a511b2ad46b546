// Lists of training cases by row number, with their values where these are in the page.
import { button, count, element, table } from "./elements.js";

const SHOWN = 60;
const SHOWN_VALUES = 20;

export function rowNumber(rows, row) {
  return rows.numbers === null ? row : rows.numbers[row];
}

// Cases with the given places among the coded rows. Cells of counted rows have no numbers.
export function caseList(title, places, store) {
  const { rows, data } = store;
  const size = rows.counts === null ? places.length
    : places.reduce((sum, row) => sum + rows.counts[row], 0);
  const head = element("p", {}, element("b", {}, `${title}: ${count(size, "case")}`));
  if (size === 0) return [head];
  if (rows.counts !== null) {
    return [head, element("p", { class: "soft" }, "Row numbers are left out of a page about this many rows.")];
  }
  const numbers = element("p", { class: "numbers" });
  const list = (some) => some.map((row) => rowNumber(rows, row)).join(", ");
  numbers.append(`rows ${list(places.slice(0, SHOWN))}`);
  if (places.length > SHOWN) {
    numbers.append(" ", button(`and ${count(places.length - SHOWN, "more", "more")}`,
      () => numbers.replaceChildren(`rows ${list(places)}`)));
  }
  const known = data.values === null ? [] : places.filter((row) => row < data.values.cells[0].length);
  return [head, numbers, known.length === 0 ? null : valueTable(known.slice(0, SHOWN_VALUES), store)];
}

function valueTable(places, { rows, data }) {
  const { names, cells } = data.values;
  const head = [["row", "n"], ["class", ""], ...names.map((name) => [name, ""])];
  const lines = places.map((row) => [
    String(rowNumber(rows, row)), data.classes[rows.classes[row]],
    ...cells.map((column) => (column[row] === null ? "missing" : String(column[row])))]);
  return table(head, lines, { "aria-label": "Values of these cases" });
}
