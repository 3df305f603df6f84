import type { CharacterSet } from './character-set';
import { PatternError } from './parse-pattern';
import type { PatternNode } from './parse-pattern';

/**
 * A state of a finite automaton: takes one unit, goes on to others without taking any, or has found a match.
 */
export type State =
  | { type: 'take'; set: CharacterSet; next: number }
  | { type: 'split'; next: number[] }
  | { type: 'word-edge'; negated: boolean; next: number }
  | { type: 'match' };

/** `states[0]` is where a match begins. */
export interface Automaton {
  readonly states: readonly State[];
}

/** What a text costs is its length times this. */
const mostStates = 2_000;

/**
 * Makes the automaton of a pattern.
 * @throws PatternError when it gets too large, or when the pattern matches the empty text.
 */
export function toAutomaton(pattern: PatternNode): Automaton {
  if (isEmptyPossible(pattern)) throw new PatternError('matches the empty text');
  const builder = new AutomatonBuilder();
  const first = builder.add({ type: 'split', next: [] });
  builder.link(first, builder.build(pattern, builder.add({ type: 'match' })));
  return { states: builder.states };
}

class AutomatonBuilder {
  readonly states: State[] = [];

  add(state: State): number {
    if (this.states.length >= mostStates) throw new PatternError('is too large: its repetitions multiply');
    return this.states.push(state) - 1;
  }

  link(split: number, next: number): void {
    const state = this.states[split];
    if (state?.type === 'split') state.next.push(next);
  }

  /** Adds the states of a node in front of `next`, and returns the first of them. */
  build(node: PatternNode, next: number): number {
    switch (node.type) {
      case 'unit':
        return this.add({ type: 'take', set: node.set, next });
      case 'word-edge':
        return this.add({ type: 'word-edge', negated: node.negated, next });
      case 'sequence':
        return node.items.reduceRight((after, item) => this.build(item, after), next);
      case 'choice':
        return this.add({ type: 'split', next: node.options.map((option) => this.build(option, next)) });
      case 'repeat':
        return this.repeat(node, next);
    }
  }

  private repeat({ item, min, max }: PatternNode & { type: 'repeat' }, next: number): number {
    let after = next;
    if (max === null) {
      after = this.add({ type: 'split', next: [next] });
      this.link(after, this.build(item, after));
    } else {
      for (let more = min; more < max; more++)
        after = this.add({ type: 'split', next: [next, this.build(item, after)] });
    }
    for (let count = 0; count < min; count++) after = this.build(item, after);
    return after;
  }
}

function isEmptyPossible(node: PatternNode): boolean {
  switch (node.type) {
    case 'unit':
      return false;
    case 'word-edge':
      return true;
    case 'sequence':
      return node.items.every(isEmptyPossible);
    case 'choice':
      return node.options.some(isEmptyPossible);
    case 'repeat':
      return node.min === 0 || isEmptyPossible(node.item);
  }
}
