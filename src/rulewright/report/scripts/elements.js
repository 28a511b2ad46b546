// Elements of the page. Names and values become text or attributes, never markup.

export function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null) made.setAttribute(name, String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null));
  return made;
}

export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null));
}

// Change a text only where it differs, so that nothing else is laid out again.
export function setText(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

export function setAttribute(place, name, value) {
  if (place.getAttribute(name) !== value) place.setAttribute(name, value);
}

export function button(text, click, attributes = {}) {
  return element("button", { type: "button", click, ...attributes }, text);
}

export function table(head, rows, attributes = {}) {
  const cells = head.map(([text, kind]) => (text === "" ? element("td", {})
    : element("th", { class: kind, scope: "col" }, text)));
  return element("div", { class: "scroll", tabindex: "0", role: "group", ...attributes },
    element("table", {}, element("thead", {}, element("tr", {}, cells)),
      element("tbody", {}, rows.map((row) => element("tr", {},
        row.map((cell, i) => element("td", { class: head[i][1] }, cell)))))));
}

// A name whose lines may end after an underscore.
export function breakable(name) {
  return name.split(/(?<=_)/).flatMap((part, place) => (place > 0 ? [element("wbr", {}), part] : [part]));
}

// The mark of a class, and its name; null is no answer.
export function chip(output, classes) {
  const known = output !== null && output >= 0;
  return element("span", { class: "piece" }, element("i", { class: known ? `dot k${output}` : "dot blank" }),
    element("b", {}, known ? classes[output] : "no answer"));
}

export function percent(share) {
  return Number.isFinite(share) ? `${(100 * share).toFixed(1)} %` : "–";
}

const NUMBERS = new Intl.NumberFormat("en");

// A number with commas between thousands.
export function grouped(number) {
  return NUMBERS.format(number);
}

export function count(number, one, many = `${one}s`) {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}
