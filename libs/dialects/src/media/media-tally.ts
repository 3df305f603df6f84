import type { MediaNeed, Need, RequestMedia } from '../surface-dialect';

/** Gathers what the pictures, files and recordings of a request come to. */
export class MediaTally {
  private readonly found = new Map<MediaNeed, RequestMedia>();

  /** `isAsked`: it stands in the turn that `askedTurn` names. */
  add(need: MediaNeed, tokens: number, isAsked: boolean): void {
    const before = this.found.get(need) ?? { need, parts: 0, tokens: 0, isAsked: false };
    this.found.set(need, {
      need,
      parts: before.parts + 1,
      tokens: before.tokens + tokens,
      isAsked: before.isAsked || isAsked,
    });
  }

  /** As a request has them; nothing where there are none. */
  get media(): { media?: readonly RequestMedia[] } {
    return this.found.size === 0 ? {} : { media: [...this.found.values()] };
  }

  /** What a model must take to serve it. */
  get needs(): Need[] {
    return [...this.found.values()].flatMap(({ need, isAsked }) => (isAsked ? [need] : []));
  }
}
