import type { InputTokens, MediaNeed, Need, RequestMedia } from '../surface-dialect';

/**
 * What a turn of a conversation is: the user's own, a tool's result (or what stands beside one), what the
 * model said, or what is none of these, such as instructions.
 */
export type TurnKind = 'user' | 'tool' | 'assistant' | 'beside';

/**
 * Which of so many turns is the user's new question, whose pictures, files and recordings a model must take;
 * -1: there is none.
 * It is the last turn alone, though the user may have written several: a client that was refused a picture
 * keeps it in the session and puts the next message behind it, which would be refused for ever.
 * https://github.com/liliMozi/openhanako/issues/701 Instructions, and an answer that was begun, may follow.
 * What stands right behind a tool's results belongs to them: clients put there what a tool has read where its
 * result cannot hold it. https://github.com/anomalyco/opencode/pull/41161
 * https://github.com/omnara-ai/omnara/pull/448
 */
export function askedTurn(turns: number, kindAt: (index: number) => TurnKind): number {
  let at = turns - 1;
  while (at >= 0 && (kindAt(at) === 'beside' || kindAt(at) === 'assistant')) at--;
  if (at < 0 || kindAt(at) !== 'user') return -1;
  let before = at - 1;
  while (before >= 0 && kindAt(before) === 'beside') before--;
  return before >= 0 && kindAt(before) === 'tool' ? -1 : at;
}

/** Of a message of chat completions. */
export function chatTurnKind(role: unknown): TurnKind {
  if (role === 'user' || role === 'assistant') return role;
  return role === 'tool' || role === 'function' ? 'tool' : 'beside';
}

/** Of a message of the messages dialect. `holdsResults`: tools' results are in it. */
export function messagesTurnKind(role: unknown, holdsResults: () => boolean): TurnKind {
  if (role === 'user') return holdsResults() ? 'tool' : 'user';
  return role === 'assistant' ? 'assistant' : 'beside';
}

/** Of an item of responses. The wish to be compacted asks nothing of what stands before it. */
export function itemTurnKind(type: unknown, role: unknown): TurnKind {
  const name = typeof type === 'string' ? type : 'message';
  if (name === 'message') return role === 'user' || role === 'assistant' ? role : 'beside';
  if (name.endsWith('_output') || name === 'compaction_trigger') return 'tool';
  return name.endsWith('_call') || name === 'reasoning' ? 'assistant' : 'beside';
}

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
