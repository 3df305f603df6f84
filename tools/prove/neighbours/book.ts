import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { NeighboursOptions, Neighbour } from './prove-neighbours';

/** How kinds were played, and at what, which those of one verdict have in common. */
export interface Play extends Pick<NeighboursOptions, 'rounds' | 'roundMs' | 'perSecond' | 'bounds'> {
  /** The commit, with `-dirty` where files differ from it; `unknown` where there is no git. */
  build: string;
}

/**
 * Kinds of attackers that were played, a line each in a file: a run that was broken off goes on from there,
 * and parts come to one verdict.
 */
export class Book {
  private readonly neighbours: Neighbour[] = [];
  private readonly play: string;

  /**
   * `path` null: nothing is kept beyond this run.
   * @throws Error for a file of a run that was played otherwise, or of another build.
   */
  constructor(
    private readonly path: string | null,
    { build, rounds, roundMs, perSecond, bounds }: Play,
  ) {
    this.play = JSON.stringify({ build, rounds, roundMs, perSecond, bounds });
    if (path === null || !existsSync(path)) return;
    for (const line of readFileSync(path, 'utf8').split('\n').filter(isWhole)) {
      const { play, neighbour } = JSON.parse(line) as { play: string; neighbour: Neighbour };
      if (play !== this.play) throw new Error(`${path} is of a run of another build or with other options: ${play}`);
      this.neighbours.push({ ...neighbour, never: null });
    }
  }

  get all(): readonly Neighbour[] {
    return this.neighbours;
  }

  has(attack: string): boolean {
    return this.neighbours.some((neighbour) => neighbour.attack === attack);
  }

  add(neighbour: Neighbour): void {
    this.neighbours.push(neighbour);
    // A line begins anew, whatever a run that was killed left in front of it.
    if (this.path !== null) appendFileSync(this.path, `\n${JSON.stringify({ play: this.play, neighbour })}`);
  }
}

/** Whether a line was written to its end: the kind of one that a kill cut off is played again. */
function isWhole(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}
