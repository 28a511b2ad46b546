// Texts of conditions, as in a rules file, and the files of an edited model.
import { conditionIn, memberOf } from "./programs.js";

const SIGNS = { true: { false: ">", true: ">=" }, false: { false: "<=", true: "<" } };

function movedText(node, data) {
  const { name, texts } = data.fields[data.rows.places[node.test]];
  const missing = node.if_missing ? " or missing" : "";
  if (node.node === "threshold") {
    return `${name} ${SIGNS[node.above][node.cut_above]} ${texts[node.at[0]]}${missing}`;
  }
  const [low, high] = node.at.map((at) => texts[at]);
  if (!node.inside) {
    return `${name} ${node.low_open ? "<=" : "<"} ${low} or ${name} ${node.high_open ? ">=" : ">"} ${high}${missing}`;
  }
  return `${low} ${node.low_open ? "<" : "<="} ${name} ${node.high_open ? "<" : "<="} ${high}${missing}`;
}

export function testText(node, data) {
  return node.moved ? movedText(node, data) : data.tests[node.test].text;
}

function partText(node, data) {
  const text = conditionText(node, data);
  const compound = ["all_of", "any_of"].includes(node.node) && node.parts.length > 1;
  return compound || text.includes(" or ") || text.includes(": ") ? `(${text})` : text;
}

export function conditionText(node, data) {
  if (node.test !== undefined) return testText(node, data);
  const parts = (node.parts || []).map((part) => partText(part, data));
  switch (node.node) {
    case "all_of":
      return parts.join(" and ") || "always";
    case "any_of":
      return parts.join(" or ") || "never";
    case "at_least":
      return `at least ${node.count} of (${node.parts.map((part) => conditionText(part, data)).join("; ")})`;
    default:
      return `not (${conditionText(node.part, data)})`;
  }
}

function ruleLine(condition, answer) {
  const misread = condition.startsWith("#") || /^otherwise\s*->/i.test(condition);
  return `${misread ? `(${condition})` : condition} -> ${answer}\n`;
}

// The rules file of an edited model. The rules of votes and scorecards have what follows the arrow.
export function rulesFile(body, data) {
  const { answers, last } = data.written;
  if (last !== undefined) {
    const lines = body[memberOf(body)].map((unit) => ruleLine(conditionText(unit.condition, data), unit.written));
    return `${lines.join("")}${last}`;
  }
  const answer = (output) => answers[output === null ? answers.length - 1 : output];
  if (body.node === "rule_list") {
    const lines = body.listed.map((rule) => ruleLine(conditionText(rule.condition, data), answer(rule.output)));
    return `${lines.join("")}otherwise -> ${answer(body.default)}\n`;
  }
  const joined = { node: body.node === "conjunction" ? "all_of" : "any_of", parts: body.parts };
  const lines = body.parts.length > 0 || body.node === "conjunction"
    ? ruleLine(conditionText(joined, data), answer(body.then)) : "";
  return `${lines}otherwise -> ${answer(body.otherwise)}\n`;
}

const MARKS = new Set(["test", "place", "at", "moved", "missing_fields", "written"]);

function plainNode(value) {
  if (Array.isArray(value)) return value.map(plainNode);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).filter(([name]) => !MARKS.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, plainNode(member)]));
}

// The model file of an edited model, without a certificate. `counts` has the training rows of each
// class that each rule answers.
export function modelFile(body, counts, data) {
  return `${data.head}, "body": ${JSON.stringify(plainNode(body))}, `
    + `"evidence": ${JSON.stringify(counts)}, "certificate": null}\n`;
}

// The number of rules of a model that have a condition.
export function unitTexts(body, data) {
  return body[memberOf(body)].map((unit) => conditionText(conditionIn(unit), data));
}
