// Why a run violates a formula: the sentences, with the steps that they name as links, and the argument as a tree.

class Why {
  // `go(step, round, formula)` shows a step, and the row of a part of the formula.
  constructor(run, go) {
    this.go = go;
    const why = run.data.why;
    const parts = why.sentences.map((sentence) => el("p", { class: "sentence" }, this.linked(sentence)));
    if (why.broken_after_step !== null && why.broken_after_step > 0) {
      parts.push(el("p", {}, "After ", this.step(why.broken_after_step, 0, null),
        " nothing that follows can make up for it."));
    }
    if (why.reasons.length > 0) {
      parts.push(el("details", { open: why.reasons.length <= 12 }, el("summary", {}, "The argument, part by part"),
        el("ul", { class: "tree" }, this.reason(why.reasons, 0, 0))));
    }
    const minimal = why.minimal ? "None of them can be left out." : "Whether some of them could be left out was not found out.";
    const facts = plural(why.cause.length, "fact");
    parts.push(el("p", { class: "small" }, `The argument rests on ${facts} about atoms at steps. ${minimal}`));
    this.element = panel("Why", { class: "panel why" }, parts);
  }

  // A sentence with its numbers of steps as links; what stands between backticks is text of the model.
  linked(sentence) {
    return worded(sentence, (words) => this.steps(words));
  }

  steps(sentence) {
    const parts = [];
    let rest = 0;
    for (const found of sentence.matchAll(/\bsteps? (\d+)((?:(?:,| and| to) \d+)*)/g)) {
      for (const number of found[0].matchAll(/\d+/g)) {
        const at = found.index + number.index;
        parts.push(sentence.slice(rest, at), this.step(Number(number[0]), 0, null, number[0]));
        rest = at + number[0].length;
      }
    }
    parts.push(sentence.slice(rest));
    return parts;
  }

  step(number, round, formula, text = `step ${number}`) {
    const title = round > 1 ? `show step ${number} in round ${round}` : `show step ${number}`;
    return el("button", { class: "link", type: "button", title, onclick: () => this.go(number, round, formula) }, text);
  }

  // A reason, with those that it rests on; a tree is as deep as the formula.
  reason(reasons, at, depth) {
    const { formula, value, at: moments, because, cut } = reasons[at];
    const steps = moments.slice(0, 8).flatMap(([number, round], i) => [
      i > 0 ? ", " : "",
      this.step(number, round, formula, round > 1 ? `${number} (round ${round})` : `${number}`),
    ]);
    const head = [el("code", {}, formula), el("span", { class: value ? "yes" : "no" }, value ? " is true" : " is false"),
      moments.length === 1 ? " at step " : " at steps ", steps, moments.length > 8 ? ", …" : ""];
    const own = depth > 40 ? [] : because.map((next) => this.reason(reasons, next, depth + 1));
    if (cut || (depth > 40 && because.length > 0)) own.push(el("li", {}, "…"));
    return el("li", {}, head, own.length > 0 ? el("ul", {}, own) : null);
  }
}
