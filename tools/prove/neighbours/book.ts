import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { NeighboursOptions, Neighbour } from './prove-neighbours';

/** How kinds were played, which those of one verdict have in common. */
export type Play = Pick<NeighboursOptions, 'rounds' | 'roundMs' | 'perSecond' | 'bounds'>;

/**
 * Kinds of attackers that were played, a line each in a file: a run that was broken off goes on from there,
 * and parts come to one verdict.
 */
export class Book {
  private readonly neighbours: Neighbour[] = [];
  private readonly play: string;

  /**
   * `path` null: nothing is kept beyond this run.
   * @throws Error for a file of a run that was played otherwise.
   */
  constructor(
    private readonly path: string | null,
    { rounds, roundMs, perSecond, bounds }: Play,
  ) {
    this.play = JSON.stringify({ rounds, roundMs, perSecond, bounds });
    if (path === null || !existsSync(path)) return;
    for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      const { play, neighbour } = JSON.parse(line) as { play: string; neighbour: Neighbour };
      if (play !== this.play) throw new Error(`${path} is of a run with other options: ${play}`);
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
    if (this.path !== null) appendFileSync(this.path, `${JSON.stringify({ play: this.play, neighbour })}\n`);
  }
}
