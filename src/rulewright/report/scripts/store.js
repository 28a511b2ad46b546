// The state of the edits, with its history, and those who show it.
import { editedBody, isEdited, majoritiesOf, reachedCounts, unedited } from "./edits.js";
import { answersOf, measured } from "./measures.js";

export function makeStore(data, rows, deciderOf) {
  const first = unedited(data.body, data.costs);
  const size = data.classes.length;
  const learnt = answersOf(data.body, data, rows, deciderOf);
  const before = measured(learnt, rows, size, first.costs);
  const reached = data.body.node === "tree" ? reachedCounts(data.body, before.counts) : [];
  const majorities = majoritiesOf(reached);
  const history = [];
  const listeners = [];
  let state = first;
  let lastKey = null;
  let now = null;

  function current() {
    if (now !== null) return now;
    const body = editedBody(data.body, state, data, majorities);
    const found = isEdited(state, first) ? answersOf(body, data, rows, deciderOf) : learnt;
    now = {
      state,
      body,
      found,
      measures: measured(found, rows, size, state.costs),
      before: measured(learnt, rows, size, state.costs),
      edited: isEdited(state, first),
    };
    return now;
  }

  function show(next) {
    state = next;
    now = null;
    for (const listener of listeners) listener(current());
  }

  return {
    data,
    rows,
    first,
    learnt,
    majorities,
    reached,
    current,
    canUndo: () => history.length > 0,
    listen(listener) {
      listeners.push(listener);
      listener(current());
    },
    // Steps of one slider have the same key, and count as one edit.
    change(next, key = null) {
      if (key === null || key !== lastKey) history.push(state);
      lastKey = key;
      show(next);
    },
    undo() {
      lastKey = null;
      if (history.length > 0) show(history.pop());
    },
  };
}
