// Start of the page: read the data, and show what can be shown.
import { element } from "./elements.js";
import { codedRows } from "./coding.js";
import { makeStore } from "./store.js";
import { showTryCase } from "./try_case.js";
import { showConfusion, showRules } from "./explore.js";
import { showWhatIf } from "./what_if.js";

export function startPage(exported, deciderOf) {
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const section = (name) => document.getElementById(name);
  if (deciderOf === null) return;
  const store = { ...makeStore(data, codedRows(data.rows), deciderOf), deciderOf };
  globalThis.rulewright = { predict: exported === null ? null : exported.predict, store };
  const shown = data.left_out ? [section("try-case"), section("what-if")] : document.querySelectorAll(".interactive");
  for (const part of shown) part.hidden = false;
  if (exported === null) section("try-case").append(element("p", {}, data.not_exported));
  else showTryCase(section("try-case"), exported, store);
  if (data.left_out) {
    section("what-if").append(element("p", {}, "The training rows are too many to be in this page, so it cannot count with them. "
      + "Write the rules with rulewright edit, change them, and certify them with rulewright certify."));
    return;
  }
  const filterRules = showRules(section("rule-table"), section("rule-tools"), store);
  showConfusion(section("confusion"), section("confusion-cases"), store, filterRules);
  showWhatIf(section("what-if"), store);
}
