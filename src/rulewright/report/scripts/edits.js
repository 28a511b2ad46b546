// Edits of a model. A state says what differs from the learnt model; nothing is changed in place.
import { memberOf } from "./programs.js";

export function unedited(body, costs) {
  const units = body.node === "tree" ? [] : body[memberOf(body)];
  return {
    off: new Set(), // rules, by their number in the learnt model
    dropped: new Set(), // tests, by their place in the learnt model
    cuts: new Map(), // numbers of cuts, by `place:end`
    order: units.map((_, number) => number),
    leaves: new Set(), // splits of a tree that became leaves, by their number
    costs: costs.slice(),
  };
}

function toggled(set, item, present) {
  const copy = new Set(set);
  if (present) copy.add(item);
  else copy.delete(item);
  return copy;
}

export function withRule(state, number, on) {
  return { ...state, off: toggled(state.off, number, !on) };
}

export function withTest(state, place, on) {
  return { ...state, dropped: toggled(state.dropped, place, !on) };
}

export function withLeaf(state, number, isLeaf) {
  return { ...state, leaves: toggled(state.leaves, number, isLeaf) };
}

// Move a cut of a test; `at` of the learnt model takes the edit back.
export function withCut(state, node, end, at) {
  const cuts = new Map(state.cuts);
  if (at === node.at[end]) cuts.delete(`${node.place}:${end}`);
  else cuts.set(`${node.place}:${end}`, at);
  return { ...state, cuts };
}

export function withMove(state, number, step) {
  const order = state.order.slice();
  const from = order.indexOf(number);
  const to = from + step;
  if (to < 0 || to >= order.length) return state;
  order[from] = order[to];
  order[to] = number;
  return { ...state, order };
}

export function withOrder(state, order) {
  return { ...state, order: order.slice() };
}

export function withCost(state, output, cost) {
  const costs = state.costs.slice();
  costs[output] = cost;
  return { ...state, costs };
}

// The numbers of the cuts of a test in a state.
export function cutsAt(node, state) {
  return node.at.map((at, end) => {
    const moved = state.cuts.get(`${node.place}:${end}`);
    return moved === undefined ? at : moved;
  });
}

function editedTest(node, state, data) {
  if (node.at === undefined) return node;
  const at = cutsAt(node, state);
  if (at.every((each, end) => each === node.at[end])) return node;
  const { cuts } = data.fields[data.rows.places[node.test]];
  if (node.node === "threshold") return { ...node, at, cut: cuts[at[0]], moved: true };
  return { ...node, at, low: cuts[at[0]], high: cuts[at[1]], moved: true };
}

// A condition with the edits of a state. Of a conjunction or disjunction, tests may be left out.
export function editedCondition(node, state, data) {
  if (node.test !== undefined) return editedTest(node, state, data);
  if (node.node === "not") return { ...node, part: editedCondition(node.part, state, data) };
  const parts = node.parts.filter((part) => part.test === undefined || !state.dropped.has(part.place));
  return { ...node, parts: parts.map((part) => editedCondition(part, state, data)) };
}

function editedUnit(unit, state, data) {
  if (unit.condition === undefined) return editedCondition(unit, state, data);
  return { ...unit, condition: editedCondition(unit.condition, state, data) };
}

function editedTree(body, state, data, majorities) {
  const nodes = [];
  function add(number) {
    const place = nodes.push(null) - 1;
    const node = body.nodes[number];
    if (node.node === "leaf") nodes[place] = node;
    else if (state.leaves.has(number)) nodes[place] = { node: "leaf", output: majorities[number] };
    else {
      const tests = node.tests.map((test) => editedCondition(test, state, data));
      nodes[place] = { ...node, tests, branches: node.branches.map(add) };
    }
    return place;
  }
  add(0);
  return { ...body, nodes };
}

// The edited model. `majorities` are the most frequent classes at the nodes of a learnt tree.
export function editedBody(body, state, data, majorities) {
  if (body.node === "tree") return editedTree(body, state, data, majorities);
  const member = memberOf(body);
  const kept = state.order.filter((number) => !state.off.has(number));
  return { ...body, [member]: kept.map((number) => editedUnit(body[member][number], state, data)) };
}

// The training rows of each class that reach each node of a tree.
export function reachedCounts(body, counts) {
  const sums = body.nodes.map(() => null);
  let leaf = 0;
  body.nodes.forEach((node, number) => {
    if (node.node === "leaf") sums[number] = counts[leaf++];
  });
  for (let number = body.nodes.length - 1; number >= 0; number -= 1) {
    const node = body.nodes[number];
    if (node.node === "leaf") continue;
    const parts = node.branches.map((branch) => sums[branch]);
    sums[number] = parts[0].map((_, output) => parts.reduce((sum, part) => sum + part[output], 0));
  }
  return sums;
}

// The class with the most training rows at each node of a tree, the lower one of equals.
export function majoritiesOf(reached) {
  return reached.map((sum) => sum.indexOf(Math.max(...sum)));
}

export function isEdited(state, first) {
  return state.off.size + state.dropped.size + state.cuts.size + state.leaves.size > 0
    || state.order.some((number, place) => number !== first.order[place]);
}
