import type { Match } from '../match';
import { toAutomaton, type State } from './automaton';
import { isWordUnit } from './character-set';
import { parsePattern } from './parse-pattern';

const none = -1;
/** The second state that is made is that of a match. */
const matchState = 1;
/**
 * Each match costs as much as its length and the pattern: a text that is nothing but matches must not take
 * long.
 */
const mostMatches = 1_000;

/** States that are live, and where the match began that each may lead to. */
interface LiveStates {
  readonly states: number[];
  readonly starts: Int32Array;
}

/**
 * A pattern that is found in time proportional to the text, whatever the text is: all states of its automaton
 * advance together, nothing is tried again. Of matches that overlap the one that begins first counts, and of
 * those the longest. No match has more than `longest` characters.
 */
export class LinearPattern {
  private readonly states: readonly State[];
  private readonly search: MatchSearch;

  /** How much a letter of a text costs at worst. */
  get size(): number {
    return this.states.length;
  }

  /** @throws PatternError saying why the pattern is refused. */
  constructor(
    source: string,
    ignoreCase = false,
    private readonly longest = 1_000,
  ) {
    this.states = toAutomaton(parsePattern(source, ignoreCase)).states;
    this.search = new MatchSearch(this.states);
  }

  /** Every match in the text, in its order; after very many, the rest of the text is the last one. */
  findAll(text: string): Match[] {
    const found: Match[] = [];
    let from = 0;
    while (from < text.length && found.length < mostMatches) {
      const end = this.search.firstEnd(text, from);
      if (end === null) return found;
      // The match that begins first has not ended before this one, and so begins at most its own length
      // before.
      const match = this.findFrom(text, Math.max(from, end - this.longest));
      if (match) found.push(match);
      // Null: it was longer than a match may be.
      from = match ? match.end : end;
    }
    return from < text.length ? [...found, { start: from, end: text.length }] : found;
  }

  private findFrom(text: string, from: number): Match | null {
    let live = this.nobody();
    let following = this.nobody();
    let best: Match | null = null;
    for (let at = from; at <= text.length; at++) {
      if (!best) this.enter(0, at, at, text, live);
      const matched = live.starts[matchState] ?? none;
      if (matched !== none && (!best || matched <= best.start)) best = { start: matched, end: at };
      this.advance(live, following, text, at, best?.start ?? Infinity);
      this.clear(live);
      [live, following] = [following, live];
      if (best && live.states.length === 0) return best;
      // What began by now would have been found: the text that follows is for the next search.
      if (!best && at >= from + 2 * this.longest) return null;
    }
    return best;
  }

  /**
   * Moves every live state over the unit at a place, but those that began after the best match, or too long
   * ago.
   */
  private advance(live: LiveStates, following: LiveStates, text: string, at: number, latest: number): void {
    const unit = text.charCodeAt(at);
    for (const index of live.states) {
      const start = live.starts[index] ?? none;
      const state = this.states[index];
      if (start > latest || at - start >= this.longest || state?.type !== 'take' || !state.set(unit)) continue;
      this.enter(state.next, start, at + 1, text, following);
    }
  }

  /**
   * Puts a state, and all that it leads to without a unit, among the live ones; of two that are the same, the
   * one that began first stays.
   */
  private enter(index: number, start: number, at: number, text: string, live: LiveStates): void {
    const waiting = [index];
    for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
      const known = live.starts[each] ?? none;
      if (known !== none && known <= start) continue;
      if (known === none) live.states.push(each);
      live.starts[each] = start;
      const state = this.states[each];
      if (state?.type === 'split') waiting.push(...state.next);
      else if (state?.type === 'word-edge' && isWordEdge(text, at) !== state.negated) waiting.push(state.next);
    }
  }

  private nobody(): LiveStates {
    return { states: [], starts: new Int32Array(this.states.length).fill(none) };
  }

  private clear(live: LiveStates): void {
    for (const index of live.states) live.starts[index] = none;
    live.states.length = 0;
  }
}

function isWordEdge(text: string, at: number): boolean {
  return isWordUnit(text.charCodeAt(at - 1)) !== isWordUnit(text.charCodeAt(at));
}

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
class MatchSearch {
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
