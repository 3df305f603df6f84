import type { InputTokens, MediaNeed, Need, RequestMedia } from '../surface-dialect';

/**
 * What a part of a request that is no text weighs: its estimated tokens, and how many characters of the body
 * its data take up.
 */
export interface MediaPart {
  need: MediaNeed;
  tokens: number;
  dataCharacters: number;
}

/** Gathers what the pictures, files and recordings of a request come to. */
export class MediaTally {
  private readonly found = new Map<MediaNeed, RequestMedia>();
  private tokens = 0;
  private dataCharacters = 0;

  /** `isAsked`: it stands in the turn that `askedTurn` names. */
  add({ need, tokens, dataCharacters }: MediaPart, isAsked: boolean): void {
    this.tokens += tokens;
    this.dataCharacters += dataCharacters;
    const before = this.found.get(need) ?? { need, parts: 0, tokens: 0, isAsked: false };
    this.found.set(need, {
      need,
      parts: before.parts + 1,
      tokens: before.tokens + tokens,
      isAsked: before.isAsked || isAsked,
    });
  }

  /**
   * An upper bound of a request's input tokens, for reserving quota. Byte-level tokenizers make at most one
   * token of a byte, and the JSON around a message is longer than the tokens that frame it, so the body's
   * length bounds its text for every provider. English text really takes about a fifth of it.
   * Data of images, recordings and files counts by its estimated tokens instead (see media-tokens.ts), which
   * is no bound.
   */
  inputTokens(bodyBytes: number): InputTokens {
    const textBytes = bodyBytes - this.dataCharacters;
    return { inputTokensEstimate: Math.max(textBytes + this.tokens, 1), mediaTokens: this.tokens };
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
