// The pages of the workbench: forms are sent as JSON, and states are asked for while something runs.
import { count } from "./elements.js";

const PAUSE = 700; // milliseconds between two questions
const BUSY = ["waiting", "running"];
const find = (selector) => document.querySelector(selector);

function say(id, text) {
  const place = document.getElementById(id);
  place.textContent = text;
  place.hidden = text === "";
}

async function post(address, value, file) {
  const body = file || JSON.stringify(value);
  const headers = { "Content-Type": file ? "application/octet-stream" : "application/json" };
  let answer;
  try {
    answer = await fetch(address, { method: "POST", headers, body });
  } catch {
    throw new Error("The server does not answer. Start it again: rulewright serve.");
  }
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said.address;
}

// Run an action at most once at a time, and show why it failed.
function guarded(place, action) {
  let busy = false;
  return async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    try {
      say(place, "");
      await action(event);
    } catch (error) {
      say(place, error.message);
    } finally {
      busy = false;
    }
  };
}

// A file that is dropped on the form is chosen, as if with its button.
function startDrop(form) {
  const over = (isOver) => (event) => {
    event.preventDefault();
    form.classList.toggle("over", isOver);
  };
  form.addEventListener("dragover", over(true));
  form.addEventListener("dragleave", over(false));
  form.addEventListener("drop", (event) => {
    over(false)(event);
    if (event.dataTransfer.files.length > 0) form.elements.file.files = event.dataTransfer.files;
  });
}

function startUpload(form) {
  startDrop(form);
  form.addEventListener("submit", guarded("upload-message", async () => {
    const [file] = form.elements.file.files;
    if (file.size > Number(form.dataset.limit)) {
      throw new Error("The file is too large to be copied. Start the server with it: rulewright serve FILE.");
    }
    location.href = await post(`/tables?name=${encodeURIComponent(file.name)}`, null, file);
  }));
}

function startTableName(form) {
  form.addEventListener("submit", guarded("connection", async () => {
    await post(`/tables/${form.dataset.table}/table`, { table: find("#table-name").value });
    location.reload();
  }));
}

function settingsOf(learner) {
  const fields = find(`[data-learner="${learner}"]`).querySelectorAll("[data-flag]");
  return Object.fromEntries([...fields].map((field) => [field.dataset.flag, field.value]));
}

function fitRequest(form, learner) {
  const used = [...document.querySelectorAll(".use")].filter((field) => field.value !== "");
  return {
    target: form.dataset.target,
    learner,
    options: settingsOf(learner),
    uses: Object.fromEntries(used.map((field) => [field.dataset.column, field.value])),
    by: [...document.querySelectorAll("[data-by]:checked")].map((box) => box.dataset.by),
    drop_unlabelled: find("#drop-unlabelled").checked,
  };
}

function startFit(form) {
  const learner = find("#learner");
  const show = () => {
    for (const part of form.querySelectorAll(".learner")) part.hidden = part.dataset.learner !== learner.value;
  };
  learner.addEventListener("change", show);
  show(); // a browser may keep the choice when it loads the page again
  const address = `/tables/${form.dataset.table}/fit`;
  form.addEventListener("submit", guarded("fit-message", async () => {
    location.href = await post(address, fitRequest(form, learner.value));
  }));
  find("#compare").addEventListener("submit", guarded("fit-message", async () => {
    const chosen = [...document.querySelectorAll("#compare input:checked")].map((box) => box.value);
    if (chosen.length === 0) throw new Error("Choose at least one learner to compare.");
    for (const name of chosen) await post(address, fitRequest(form, name));
    location.href = "/";
  }));
}

function startDelete(pressed) {
  pressed.addEventListener("click", guarded("table-message", async () => {
    if (!window.confirm(pressed.dataset.question)) return;
    location.href = await post(`/tables/${pressed.dataset.table}/delete`, {});
  }));
}

function startExport(form) {
  const to = form.elements.to;
  const show = () => {
    for (const part of form.querySelectorAll("[data-form]")) {
      part.hidden = part.dataset.form !== to.value;
      part.disabled = part.hidden; // fields of other forms are not sent
    }
  };
  to.addEventListener("change", show);
  show();
}

function startModel(place) {
  const address = `/models/${place.dataset.model}`;
  for (const pressed of place.querySelectorAll("[data-post]")) {
    pressed.addEventListener("click", guarded("model-message", async () => {
      const { post: action, size, question } = pressed.dataset;
      if (question !== undefined && !window.confirm(question)) return;
      const next = await post(`${address}/${action}`, size === undefined ? {} : { size: Number(size) });
      if (next === location.pathname) location.reload();
      else location.href = next;
    }));
  }
  const certify = async (rules) => {
    location.href = await post(`${address}/edit`, { rules });
  };
  const edit = find("#edit");
  if (edit) edit.addEventListener("submit", guarded("model-message", () => certify(find("#rules").value)));
  window.addEventListener("message", (event) => {
    const report = find("#report");
    if (!report || event.source !== report.contentWindow || event.origin !== location.origin) return;
    if (typeof event.data?.edited !== "string") return;
    guarded("model-message", () => certify(event.data.edited))(event);
    find("#model-message").scrollIntoView();
  });
}

function progressText({ what, done, total }) {
  if (!done) return what;
  return total === null ? `${what}: ${done.toLocaleString("en")}` : `${what}: ${done.toLocaleString("en")} of at most ${count(total, "step")}`;
}

// Show the states of the models on this page; load it again when one that runs has ended.
function showStates(states) {
  let ended = false;
  for (const row of document.querySelectorAll("[data-model]")) {
    const now = states[row.dataset.model];
    const shown = row.querySelector(".state");
    if (!now || !shown) continue;
    const was = shown.dataset.state;
    ended ||= (BUSY.includes(was) && !BUSY.includes(now.state)) || (BUSY.includes(row.dataset.check) && !BUSY.includes(now.check));
    if (was !== now.state && BUSY.includes(was)) {
      shown.textContent = now.state;
      shown.dataset.state = now.state;
    }
    const text = row.querySelector("#progress");
    if (text && now.progress.what) text.textContent = progressText(now.progress);
    const bar = row.querySelector("progress");
    if (bar && now.progress.total) {
      bar.max = now.progress.total;
      bar.value = now.progress.done;
    }
  }
  const file = find("#file");
  if (ended && !(file && file.value)) location.reload();
}

function isBusy() {
  return [...document.querySelectorAll("[data-state], [data-check]")]
    .some(({ dataset }) => BUSY.includes(dataset.state) || BUSY.includes(dataset.check));
}

async function watch() {
  if (!isBusy()) return;
  try {
    const answer = await fetch("/states");
    if (answer.ok) showStates(await answer.json());
    say("connection", answer.ok ? "" : "The server was started again. Open the address that it printed.");
  } catch {
    say("connection", "The server does not answer. What was saved is in the session folder; start it again: rulewright serve.");
  }
  setTimeout(watch, PAUSE);
}

const starts = [["#upload", startUpload], ["#choose-table", startTableName], ["#fit", startFit], ["#model", startModel],
  ["#export", startExport], ["#delete-table", startDelete]];
for (const [selector, start] of starts) {
  const place = find(selector);
  if (place) start(place);
}
watch();
