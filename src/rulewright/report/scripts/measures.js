// What a model does on the training rows: which rule answers, errors, coverage, confusion and cost.
import { tablesOf } from "./programs.js";

// The number of the rule that answers each row, and the class of each rule (-1 for no answer).
export function answersOf(body, data, rows, deciderOf) {
  const tables = tablesOf(body, data, rows.codes);
  const decide = deciderOf(tables);
  const answers = new Int32Array(rows.size);
  for (let row = 0; row < rows.size; row += 1) [answers[row]] = decide(row);
  return { answers, outputs: tables.OUTPUTS };
}

export function measured({ answers, outputs }, rows, classes, costs) {
  const confusion = Array.from({ length: classes }, () => new Array(classes + 1).fill(0));
  const counts = outputs.map(() => new Array(classes).fill(0));
  for (let row = 0; row < rows.size; row += 1) {
    const number = rows.counts === null ? 1 : rows.counts[row];
    const actual = rows.classes[row];
    const output = outputs[answers[row]];
    confusion[actual][output < 0 ? classes : output] += number;
    counts[answers[row]][actual] += number;
  }
  const sum = (items) => items.reduce((total, item) => total + item, 0);
  const wrong = confusion.map((line, actual) => sum(line) - line[actual]);
  return {
    confusion,
    counts,
    errors: sum(wrong),
    answered: rows.total - sum(confusion.map((line) => line[classes])),
    cost: sum(wrong.map((number, actual) => number * costs[actual])),
    total: rows.total,
  };
}
