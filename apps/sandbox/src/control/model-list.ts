import { Injectable } from '@nestjs/common';
import { z } from 'zod';

const name = z.string().min(1);

/**
 * What a provider does with its models one day. `rename`: from the old name to the new one, which answers
 * both.
 */
export const modelChange = z.strictObject({
  ship: z.array(z.strictObject({ name, createdAt: z.number().int().optional() })).default([]),
  rename: z.record(name, name).default({}),
  retire: z.array(name).default([]),
});

/** A model that is listed; `createdAt` in epoch seconds. */
interface Listed {
  name: string;
  createdAt: number;
}

const firstModelMadeAt = 1_700_000_000;

/**
 * What the simulated providers list. Models that are not listed are answered too, but those that were
 * retired.
 */
@Injectable()
export class ModelList {
  private readonly listed = new Map(['sandbox-small', 'sandbox-large'].map((each) => [each, firstModelMadeAt]));
  private readonly renamed = new Map<string, string>();
  private readonly retired = new Set<string>();

  change({ ship, rename, retire }: z.output<typeof modelChange>): void {
    const nowS = Math.floor(Date.now() / 1_000);
    for (const { name: shipped, createdAt = nowS } of ship) {
      this.retired.delete(shipped);
      this.renamed.delete(shipped);
      this.listed.set(shipped, createdAt);
    }
    for (const [from, to] of Object.entries(rename)) {
      this.listed.set(to, this.listed.get(from) ?? nowS);
      this.listed.delete(from);
      // A name that is given again is its model's own from now on.
      this.renamed.delete(to);
      this.renamed.set(from, to);
    }
    for (const gone of retire) {
      this.listed.delete(gone);
      this.retired.add(gone);
    }
  }

  get models(): Listed[] {
    return Array.from(this.listed, ([each, createdAt]) => ({ name: each, createdAt }));
  }

  /** The name under which a model answers; null: it is retired. */
  served(asked: string): string | null {
    if (this.retired.has(asked)) return null;
    const next = this.renamed.get(asked);
    return next === undefined ? asked : this.served(next);
  }
}
