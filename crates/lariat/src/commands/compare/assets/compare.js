"use strict";
// The page says everything without this; here two configurations and some tasks can be chosen.

const data = JSON.parse(document.getElementById("data").textContent);

function versus() {
  const [across, up] = ["across", "up"].map((id) => document.getElementById(id));
  if (!across) return;
  const drawing = document.querySelector("#scatter svg");
  const words = document.getElementById("dot");
  const time = (one) => (one.time === null ? "not decided" : `${one.time.toFixed(3)} s`);
  const draw = () => {
    const [first, second] = [across, up].map((choice) => data.configurations[choice.value]);
    for (const circle of drawing.querySelectorAll("circle")) circle.remove();
    words.textContent = "";
    data.tasks.forEach((task, i) => {
      const [x, y] = [first.tasks[i], second.tasks[i]];
      if (x === null || y === null) return;
      const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      const text = `${task.id}: ${first.name} ${time(x)}, ${second.name} ${time(y)}`;
      const attributes = {
        cx: x.x, cy: y.y, r: 4, opacity: 0.75, tabindex: 0, role: "img", "aria-label": text,
        fill: task.violated ? "#D55E00" : "#0072B2",
      };
      for (const [name, value] of Object.entries(attributes)) dot.setAttribute(name, value);
      for (const event of ["focus", "mouseenter", "click"]) {
        dot.addEventListener(event, () => { words.textContent = text; });
      }
      drawing.append(dot);
    });
  };
  // A picture has no parts that can be reached; this one has, now.
  drawing.setAttribute("role", "group");
  for (const choice of [across, up]) choice.addEventListener("change", draw);
  draw();
}

function filter() {
  const [text, differ] = ["filter", "differ"].map((id) => document.getElementById(id));
  const rows = [...document.querySelectorAll("#tasks tbody tr")];
  const show = () => {
    const wanted = text.value.toLowerCase();
    for (const row of rows) {
      const verdicts = [...row.querySelectorAll("td > span:first-child")].map((one) => one.textContent);
      const differs = new Set(verdicts).size > 1;
      const named = row.firstChild.textContent.toLowerCase().includes(wanted);
      row.hidden = !named || (differ.checked && !differs);
    }
  };
  for (const [field, event] of [[text, "input"], [differ, "change"]]) field.addEventListener(event, show);
  show();
}

versus();
filter();
