// The page: its head, and a tab for each property.

const TRUST = {
  violated: "Validated: the run was replayed on the model as given, step by step, and the property was judged on it. Neither the search, the abstraction nor the solver is trusted for this.",
  holds: "Trusted: the passes that simplified the model, the engine that searched, and the solver Z3. Nobody else has checked it.",
  unknown: "Nothing is claimed about the property.",
};
const SIGNS = { violated: "✗", holds: "✓", unknown: "?" };

function main() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { document: report, sources } = data;
  const page = document.getElementById("page");
  document.title = `${report.results.map((result) => result.verdict).join(", ") || "Lariat"} – ${report.models.join(" + ")}`;
  const certified = report.results.find((result) => result.proof?.kind === "graph");
  if (certified !== undefined) certified.certificate = report.certificate;
  const views = report.results.map((result, i) => new View(result, sources, i));
  page.append(head(report), ...(views.length > 1 ? [tabs(views)] : []), el("main", {}, views.map((view) => view.element),
    views.length === 0 ? el("p", { class: "panel" }, report.finished ? "No property was checked." : "No property has been answered.") : null));
  let current = null;
  const open = (i) => {
    current = views[i];
    views.forEach((view, j) => view.show(i === j));
  };
  views.forEach((view, i) => view.tab?.addEventListener("click", () => open(i)));
  if (views.length > 0) open(Math.max(0, report.results.findIndex((result) => result.verdict === "violated")));
  document.addEventListener("keydown", (event) => {
    const plain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (plain && event.target.closest("input, select, [role=tab]") === null) current?.body.key(event);
  });
  addEventListener("beforeprint", () => {
    page.querySelector(".top > details").open = true;
    views.forEach((view) => view.beforePrint());
  });
  addEventListener("afterprint", () => views.forEach((view) => view.afterPrint()));
}

// One property.
class View {
  constructor(result, sources, i) {
    const { property, verdict } = result;
    const kind = { violated: Violated, holds: Holds, unknown: Unknown }[verdict];
    this.make = () => new kind(result, sources);
    this.verdict = verdict;
    this.name = property.name || property.text;
    this.body = null;
    this.tab = el("button", { type: "button", role: "tab", id: `tab-${i}`, "aria-controls": `result-${i}`, class: `tab ${verdict}`, title: property.text },
      el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[verdict]), el("span", { class: "tab-name" }, this.name), el("span", { class: "unseen" }, ` ${verdict}`));
    const named = property.name && property.name !== property.text ? el("p", { class: "property-name" }, property.name) : null;
    this.element = el("section", { class: "result", id: `result-${i}`, "aria-label": `${this.name}: ${verdict}` },
      el("div", { class: `verdict ${verdict}` },
        el("h2", {}, el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[verdict]), verdict),
        el("div", { class: "asked" }, named, el("p", { class: "property" }, el("code", {}, property.text)),
          el("p", { class: "small" }, `${seconds(result.time_s)}${settings(result.settings)}`),
          el("p", { class: "small" }, trust(result)))));
    this.more = details(result);
  }

  show(visible) {
    this.element.hidden = !visible;
    this.tab.setAttribute("aria-selected", visible);
    this.tab.setAttribute("tabindex", visible ? 0 : -1);
    if (!visible) return;
    if (this.body === null) {
      this.body = this.make();
      this.element.append(this.body.element, this.more);
    }
    this.body.start();
  }

  beforePrint() {
    if (this.body === null) {
      this.body = this.make();
      this.element.append(this.body.element, this.more);
    }
    this.paper = this.body.printed();
    if (this.paper !== null) this.element.append(this.paper);
  }

  afterPrint() {
    this.paper?.remove();
  }
}

function trust({ verdict, run }) {
  if (!run) return TRUST[verdict];
  const argument = run.region.length > 0
    ? " That a round leads back to its conditions was asked of two solvers, of the model as given."
    : run.growth !== null ? " That the loop goes on for ever was executed for all rounds at once, without a solver." : "";
  return TRUST[verdict] + argument;
}

// The engine, in words.
function settings(all) {
  const words = ["engine", "domain", "search"].filter((name) => name in all).map((name) => `${name} ${all[name]}`);
  return words.length === 0 ? "" : ` · ${words.join(", ")}`;
}

function head(report) {
  const word = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const name = report.models.map((model) => model.split("/").at(-1)).join(" + ");
  const rows = [
    ["models", report.models.join(", ") + (report.compose === null ? "" : ` (${report.compose})`)],
    ["command", el("code", {}, report.command.map(word).join(" "))],
    ["version", report.version],
    ["time limit", report.timeout_s === null ? "none" : seconds(report.timeout_s)],
    ["memory limit", report.memory_bytes === null ? "what the machine has free" : `${Math.round(report.memory_bytes / 2 ** 20).toLocaleString("en")} MiB`],
    ["exit code", report.exit_code === null ? "–" : `${report.exit_code}`],
  ];
  const state = report.stopped !== null ? `The check was ended: ${report.stopped}.`
    : report.finished ? null : "The check had not ended when this page was written.";
  const findings = report.diagnostics.map((finding) => el("li", { class: finding.severity },
    el("strong", {}, `${finding.severity}: `), finding.message,
    finding.place === null ? "" : ` (${finding.place.file}:${finding.place.line}:${finding.place.column})`,
    finding.hints.map((hint) => el("div", { class: "small" }, `hint: ${hint}`))));
  return el("header", { class: "top" }, el("h1", {}, name), el("p", { class: "made" }, "Lariat report"),
    state === null ? null : el("p", { class: "ended" }, state),
    findings.length === 0 ? null : el("ul", { class: "findings" }, findings),
    el("details", {}, el("summary", {}, "About this check"), el("dl", {}, rows.map(([what, is]) => [el("dt", {}, what), el("dd", {}, is)])),
      options(report.options)),
    report.results.some((result) => result.verdict === "violated")
      ? el("p", { class: "keys small" }, "Keys: ← → one step, Home first, End last.") : null);
}

function options(all) {
  const set = Object.entries(all).filter(([, value]) => value !== null);
  if (set.length === 0) return null;
  return el("details", {}, el("summary", {}, "Options in force"), table(["option", "value"], set.map(([name, value]) => [name, shown(value)])));
}

// What else the report tells of a property.
function details(result) {
  const parts = [];
  if (result.left_out.length > 0) parts.push(el("p", {}, `Left out, because they cannot matter to the property: ${result.left_out.join(", ")}.`));
  if (result.constants.length > 0) parts.push(el("p", {}, `Always the same: ${result.constants.map(({ name, value }) => `${name} = ${shown(value)}`).join(", ")}.`));
  for (const { type, kept, others } of result.merged) parts.push(el("p", {}, `Literals of ${type} that nothing tells apart from ${kept}: ${others.join(", ")}.`));
  const chosen = Object.entries(result.settings).filter(([, value]) => value !== null);
  if (chosen.length > 0) {
    parts.push(el("details", {}, el("summary", {}, "Settings of the engine"), table(["setting", "value"],
      chosen.map(([name, value]) => [name.replaceAll("_", " "), `${value}`]))));
  }
  const counters = Object.entries(result.statistics).filter(([, value]) => value !== null && value !== 0);
  if (counters.length > 0) {
    const number = (value) => {
      if (Array.isArray(value)) return value.length === 0 ? "none" : value.join("; ");
      return Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(2);
    };
    parts.push(el("details", {}, el("summary", {}, "Statistics"), table(["what", "how much"],
      counters.map(([name, value]) => [name.replaceAll("_", " "), number(value)]))));
  }
  return parts.length === 0 ? "" : panel("More", { class: "panel" }, parts);
}

// The tabs; arrow keys move among them.
function tabs(views) {
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": "properties" }, views.map((view) => view.tab));
  views.forEach((view) => view.element.setAttribute("role", "tabpanel"));
  list.addEventListener("keydown", (event) => {
    const at = views.findIndex((view) => view.tab === document.activeElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: views.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const { tab } = views[(to + views.length) % views.length];
    tab.focus();
    tab.click();
  });
  return list;
}

main();
