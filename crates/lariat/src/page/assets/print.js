// On paper there is nothing to scroll: before printing, the table of the run is laid out in blocks of steps.

const PRINTED = { block: 10, steps: 240, rows: 400 };

function printable(run, rows) {
  const n = Math.min(run.length, PRINTED.steps);
  const shown = rows.rows.filter((row) => row.kind !== "group").slice(0, PRINTED.rows);
  const blocks = [];
  for (let from = 0; from < n; from += PRINTED.block) {
    const positions = Array.from({ length: Math.min(PRINTED.block, n - from) }, (_, i) => from + i);
    const cell = (row, position) => {
      const { text, kind } = rows.cell(row, position);
      return el("td", { class: kind }, text);
    };
    blocks.push(el("table", { class: "block" },
      el("thead", {}, el("tr", {}, el("th", {}, "step"), positions.map((position) => {
        const { text, kind } = rows.head(position);
        return el("th", { class: kind }, text);
      }))),
      el("tbody", {}, shown.map((row) => el("tr", {}, el("th", {}, rows.name(row).text),
        positions.map((position) => cell(row, position)))))));
  }
  if (n < run.length) blocks.push(el("p", {}, `The run has ${run.length} steps; the first ${n} are printed.`));
  return el("div", { class: "printed" }, blocks);
}
