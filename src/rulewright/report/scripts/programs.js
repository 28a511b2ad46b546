// A model as the tables that its decision reads: the same as those of the JavaScript export.
import { conditionOf } from "./conditions.js";

const MEMBERS = {
  conjunction: "parts",
  disjunction: "parts",
  rule_list: "listed",
  rule_vote: "voters",
  scorecard: "lines",
  class_scorecard: "lines",
};

// The name of the member with the rules of a model; a tree has none.
export function memberOf(body) {
  return MEMBERS[body.node];
}

export function conditionIn(unit) {
  return unit.condition === undefined ? unit : unit.condition;
}

function firstTables(body) {
  const default_ = body.default === null ? -1 : body.default;
  if (body.node === "rule_list") return { OUTPUTS: [...body.listed.map((rule) => rule.output), default_] };
  const each = body.node === "conjunction" ? body.otherwise : body.then;
  const last = body.node === "conjunction" ? body.then : body.otherwise;
  return { OUTPUTS: [...body.parts.map(() => each), last] };
}

function treeTables(body, data, codes) {
  const tables = { CONDITIONS: [], OUTPUTS: [], NODES: [] };
  const places = [];
  let splits = 0;
  for (const node of body.nodes) {
    if (node.node === "leaf") places.push(~(tables.OUTPUTS.push(node.output) - 1));
    else places.push(splits++);
  }
  for (const node of body.nodes.filter((each) => each.node === "split")) {
    const first = tables.CONDITIONS.length;
    tables.CONDITIONS.push(...node.tests.map((test) => conditionOf(test, data, codes)));
    let divided = -1;
    if (node.shares.length > 0) {
      divided = tables.CONDITIONS.push(missingIn(node, data, codes)) - 1;
    }
    tables.NODES.push([first, node.branches.map((branch) => places[branch]), divided, node.shares]);
  }
  tables.ROOT = tables.NODES.length > 0 ? 0 : -1;
  return tables;
}

// Whether a value of the tests of a split is missing; such a split shares a row out.
function missingIn(split, data, codes) {
  const fields = split.missing_fields.map((place) => [codes[place], data.fields[place].cuts]);
  return (row) => fields.some(([column, cuts]) => column[row] === (cuts === null ? 1 : 2 * cuts.length + 1));
}

export function tablesOf(body, data, codes) {
  const size = { SIZE: data.classes.length };
  if (body.node === "tree") {
    const tables = treeTables(body, data, codes);
    return { ...tables, ...size, PROBABILITIES: tables.OUTPUTS.map(() => new Array(size.SIZE).fill(1)) };
  }
  const units = body[memberOf(body)];
  const holds = units.map((unit) => conditionOf(conditionIn(unit), data, codes));
  const CONDITIONS = body.node === "conjunction" ? holds.map((each) => (row) => !each(row)) : holds;
  switch (body.node) {
    case "rule_vote":
      return {
        CONDITIONS,
        ...size,
        VOTES: units.map((voter) => [voter.output, voter.weight]),
        OUTPUTS: [...units.map((voter) => voter.output), body.default === null ? -1 : body.default],
      };
    case "scorecard":
      return {
        CONDITIONS,
        POINTS: units.map((line) => line.points),
        LOWS: body.bands.slice(1).map((band) => band.low),
        OUTPUTS: body.bands.map((band) => band.output),
      };
    case "class_scorecard":
      return {
        CONDITIONS,
        ...size,
        POINTS: units.map((line) => line.points),
        START: body.start,
        SLOPE: body.slope,
        OUTPUTS: body.start.map((_, output) => output),
      };
    default:
      return { CONDITIONS, ...firstTables(body) };
  }
}
