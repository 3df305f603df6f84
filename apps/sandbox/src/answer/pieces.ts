import { countTextTokens } from '@tollgate/dialects';

/** A bit of an answer, and how many tokens it is. */
export interface Piece {
  text: string;
  tokens: number;
}

export function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('');
}

export function tokensOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0);
}

/**
 * A text in bits of so many characters, each with the tokens that it adds. Bits never split a character, and
 * add up to the tokens of the text.
 */
export function inPieces(text: string, characters: number): Piece[] {
  const all = Array.from(text);
  const whole = countTextTokens(text);
  const pieces: Piece[] = [];
  let counted = 0;
  for (let at = 0; at < all.length; at += characters) {
    // A beginning may have more tokens than the whole has: what is said is never taken back.
    const isLast = at + characters >= all.length;
    const soFar = isLast ? whole : countTextTokens(all.slice(0, at + characters).join(''));
    const total = Math.min(Math.max(soFar, counted), whole);
    pieces.push({ text: all.slice(at, at + characters).join(''), tokens: total - counted });
    counted = total;
  }
  return pieces;
}

/** The first pieces, of no more tokens than `most`. */
export function firstPieces(pieces: readonly Piece[], most: number): Piece[] {
  let left = most;
  const cutAt = pieces.findIndex(({ tokens }) => (left -= tokens) < 0);
  return cutAt < 0 ? [...pieces] : pieces.slice(0, cutAt);
}
