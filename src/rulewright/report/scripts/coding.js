// Training rows in codes: for each field a number a row. See coded_rows.py for the codes.

const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };

export function unpacked({ bytes, text }) {
  const letters = atob(text);
  const raw = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) raw[i] = letters.charCodeAt(i);
  const numbers = new ARRAYS[bytes](raw.length / bytes);
  for (let i = 0; i < raw.length; i += 1) numbers[Math.floor(i / bytes)] += raw[i] * 256 ** (i % bytes);
  return numbers;
}

export function codedRows(rows) {
  const classes = unpacked(rows.classes);
  const counts = rows.counts === null ? null : unpacked(rows.counts);
  return {
    size: classes.length,
    codes: rows.codes.map(unpacked),
    classes,
    counts,
    numbers: rows.numbers === null ? null : unpacked(rows.numbers),
    places: rows.places,
    total: counts === null ? classes.length : counts.reduce((sum, each) => sum + each, 0),
  };
}

// The code of a number among cuts in increasing order; NaN is a missing value.
export function codeOf(x, cuts) {
  if (x !== x) return 2 * cuts.length + 1;
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cuts[middle] < x) low = middle + 1;
    else high = middle;
  }
  return 2 * low + (low < cuts.length && cuts[low] === x ? 1 : 0);
}

// One case as rows of codes: `values` are those that the export reads, by column.
export function codedCase(values, columns, data, truths) {
  const places = new Map(columns.map(([name], place) => [name, place]));
  const codes = data.fields.map(() => null);
  data.tests.forEach((test, number) => {
    const place = data.rows.places[number];
    const { cuts } = data.fields[place];
    if (cuts === null) codes[place] = [truths[number](values) ? 1 : 0];
    else codes[place] = [codeOf(values[places.get(test.columns[0])], cuts)];
  });
  return codes;
}
