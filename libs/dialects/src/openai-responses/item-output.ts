import type { GenerationEvent } from '../canonical/generation-event';

/** What a writer of an item is told. */
export type BlockEvent = Extract<GenerationEvent, { block: number }>;

/** Where items go: `add` announces one and gives its place, `done` ends it. */
export interface ItemOutput {
  newId: () => string;
  send(type: string, members: object): void;
  add(item: object): number;
  done(index: number, item: object): void;
}
