import type { State } from './automaton';
import { isWordUnit } from './character-set';

/**
 * States of the automaton that are live together, and where they lead: computed once for each unit that is
 * met.
 */
interface LiveSet {
  /** Before it is known whether a word ends here, which the next unit decides. */
  readonly states: readonly number[];
  readonly afterWord: boolean;
  readonly ascii: (Step | undefined)[];
  readonly others: Map<number, Step>;
}

interface Step {
  /** A match ended in front of the unit. */
  readonly hasMatched: boolean;
  readonly next: LiveSet;
}

/** Sets that are remembered at most; then all are forgotten, and computed again as they are met. */
const mostSets = 2_000;
const endOfText = -1;

/**
 * Says where the first match to end in a text does so. Sets of states are remembered with where each unit
 * leads, so that most units cost one look; at worst each costs as much as there are states.
 */
export class MatchSearch {
  private sets = new Map<string, LiveSet>();

  /** `states[0]` is where a match begins. */
  constructor(private readonly states: readonly State[]) {}

  /** The end of the match that ends first, of those that begin at `from` or later; null: there is none. */
  firstEnd(text: string, from: number): number | null {
    let live = this.setOf([0], isWordUnit(text.charCodeAt(from - 1)));
    for (let at = from; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const known = unit < 128 ? live.ascii[unit] : live.others.get(unit);
      const step = known ?? this.compute(live, unit);
      if (step.hasMatched) return at;
      live = step.next;
    }
    return this.compute(live, endOfText).hasMatched ? text.length : null;
  }

  private compute(live: LiveSet, unit: number): Step {
    const isWord = isWordUnit(unit);
    const reached = this.closure(live.states, live.afterWord !== isWord);
    const following = new Set<number>([0]);
    for (const index of reached) {
      const state = this.states[index];
      if (state?.type === 'take' && unit !== endOfText && state.set(unit)) following.add(state.next);
    }
    const hasMatched = [...reached].some((index) => this.states[index]?.type === 'match');
    const step = {
      hasMatched,
      next: this.setOf(
        [...following].sort((one, other) => one - other),
        isWord,
      ),
    };
    if (unit >= 0 && unit < 128) live.ascii[unit] = step;
    else if (unit !== endOfText && live.others.size < mostSets) live.others.set(unit, step);
    return step;
  }

  /** All states that lead from these without a unit, at a place that is the edge of a word or not. */
  private closure(from: readonly number[], isWordEdge: boolean): Set<number> {
    const reached = new Set<number>(from);
    for (const index of reached) {
      const state = this.states[index];
      if (state?.type === 'split') for (const next of state.next) reached.add(next);
      else if (state?.type === 'word-edge' && isWordEdge !== state.negated) reached.add(state.next);
    }
    return reached;
  }

  private setOf(states: readonly number[], afterWord: boolean): LiveSet {
    const name = `${afterWord ? 'w' : ''}${states.join()}`;
    const known = this.sets.get(name);
    if (known) return known;
    if (this.sets.size >= mostSets) this.sets = new Map();
    const made: LiveSet = { states, afterWord, ascii: [], others: new Map() };
    this.sets.set(name, made);
    return made;
  }
}
