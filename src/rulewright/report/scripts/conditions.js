// Conditions of a model, as nodes of its file, on rows in codes.

function isAbove(code, at, withCut) {
  return code >= 2 * at + (withCut ? 1 : 2);
}

function testOf(node, data, codes) {
  const place = data.rows.places[node.test];
  const column = codes[place];
  const { cuts } = data.fields[place];
  if (cuts === null) return (row) => column[row] === 1;
  const missing = 2 * cuts.length + 1;
  if (node.node === "threshold") {
    const [at] = node.at;
    return (row) => {
      const code = column[row];
      return code === missing ? node.if_missing : isAbove(code, at, node.cut_above) === node.above;
    };
  }
  const [low, high] = node.at;
  return (row) => {
    const code = column[row];
    if (code === missing) return node.if_missing;
    const inside = isAbove(code, low, !node.low_open) && !isAbove(code, high, node.high_open);
    return inside === node.inside;
  };
}

// The truth of a condition as a function of the number of a row.
export function conditionOf(node, data, codes) {
  if (node.test !== undefined) return testOf(node, data, codes);
  if (node.node === "not") {
    const part = conditionOf(node.part, data, codes);
    return (row) => !part(row);
  }
  const parts = node.parts.map((part) => conditionOf(part, data, codes));
  if (node.node === "all_of") return (row) => parts.every((part) => part(row));
  if (node.node === "any_of") return (row) => parts.some((part) => part(row));
  if (node.node !== "at_least") throw new Error(`The page does not know the node ${node.node}.`);
  return (row) => parts.filter((part) => part(row)).length >= node.count;
}

// The single tests of a condition, in order.
export function testsOf(node) {
  if (node.test !== undefined) return [node];
  return (node.parts || [node.part]).flatMap(testsOf);
}
