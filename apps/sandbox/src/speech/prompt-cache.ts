import { createHash } from 'node:crypto';

const mostPrefixes = 10_000;

/** Remembers which beginnings of prompts each model has seen, as a provider's prompt cache does. */
export class PromptCache {
  private readonly kept = new Set<string>();

  /**
   * How many of these parts are known as the beginning of an earlier prompt. All of them are from now on; the
   * oldest beginnings go when there are too many.
   */
  keep(model: string, parts: readonly string[]): number {
    let known = 0;
    let key = model;
    for (const [index, part] of parts.entries()) {
      key = createHash('sha256').update(key).update(part).digest('base64');
      if (this.kept.has(key)) known = index + 1;
    }
    this.kept.add(key);
    const [oldest] = this.kept;
    if (this.kept.size > mostPrefixes && oldest !== undefined) this.kept.delete(oldest);
    return known;
  }
}
