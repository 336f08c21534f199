// A run as a sequence of positions. Position 0 is the first step; after the last step come further rounds of the loop, as
// many as are unrolled.

class Run {
  constructor(data) {
    this.data = data;
    this.steps = data.steps;
    this.variables = data.variables;
    this.loopStart = data.loop_starts_after_step; // So many steps are before the loop; null for a path.
    this.extraRounds = 0;
    this.drifting = new Set(data.drifting);
  }

  get length() {
    return this.steps.length + this.extraRounds * this.loopLength;
  }

  get loopLength() {
    return this.loopStart === null ? 0 : this.steps.length - this.loopStart;
  }

  // Where rounds after the first are not told, there is nothing to unroll.
  get canUnroll() {
    return this.loopLength > 0 && this.data.growth === null && this.data.region.length === 0;
  }

  // The place of a position's step among all steps.
  step(position) {
    const n = this.steps.length;
    return position < n ? position : this.loopStart + ((position - n) % this.loopLength);
  }

  // The round of the loop at a position, from 1; 0 in the stem.
  round(position) {
    const n = this.steps.length;
    if (this.loopStart === null || position < this.loopStart) return 0;
    return position < n ? 1 : 2 + Math.floor((position - n) / this.loopLength);
  }

  // The position of a step (its number, from 1) in a round of the loop, or null if it is not unrolled so far.
  position(number, round) {
    const position = number - 1 + Math.max(0, round - 1) * this.loopLength;
    return position < this.length ? position : null;
  }

  // The place among the texts of a variable's value; -1 where it is not told.
  code(variable, position) {
    if (this.round(position) > 1 && this.drifting.has(variable.name)) return -1;
    const step = this.step(position);
    if (variable.at === null) return variable.is[step];
    const at = variable.at;
    let [low, high] = [0, at.length]; // The first change after the step is in low..=high.
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at[middle] <= step + 1) low = middle + 1;
      else high = middle;
    }
    return low > 0 ? variable.is[low - 1] : -1;
  }

  value(variable, position) {
    const code = this.code(variable, position);
    return code < 0 ? "?" : this.data.texts[code];
  }

  changes(variable, position) {
    return position > 0 && this.code(variable, position) !== this.code(variable, position - 1);
  }

  everChanges(variable) {
    return variable.at === null ? variable.is.some((code) => code !== variable.is[0]) : variable.at.length > 1;
  }

  // Whether a part of the formula is true: "1", "0", or "-" where the state is not observed.
  truth(part, position) {
    const [step, round] = [this.step(position), this.round(position)];
    if (round < 2 || part.later.length === 0) return part.truth[step];
    return part.later[Math.min(round - 2, part.later.length - 1)][step - this.loopStart];
  }

  // The automaton's state when a position has been read: that of the last one that was observed.
  automatonState(position) {
    for (let i = this.step(position); i >= 0; i -= 1) {
      if (this.steps[i].automaton_state !== null) return this.steps[i].automaton_state;
    }
    return null;
  }

  name(position) {
    const [number, round] = [this.step(position) + 1, this.round(position)];
    const where = round === 0 ? (this.loopStart === null ? "" : ", stem") : `, loop, round ${round}`;
    return `Step ${number} of ${this.steps.length}${where}`;
  }
}
