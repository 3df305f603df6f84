import { countTextTokens } from '@tollgate/dialects';
import type { Behaviour } from '../behaviour/behaviour';
import type { NeutralRequest } from '../request/neutral-request';
import { exampleOf } from './example-of';
import { inPieces } from './pieces';
import type { Piece } from './pieces';
import { saidBy } from './sentences';

const fewestTokens = 24;
const echoedWords = 12;
const readCharacters = 400;

/** Says little, and all that a careless reader of bytes trips over. */
const unicodeText = 'Grüße 世界 👩‍👩‍👧 e\u0301 "quoted" back\\slash\nnew line \u2028 Ω';

/**
 * The words of an answer, before limits and stop sequences: by a schema, by a script, of what the tools said,
 * or of what was asked, and then sentences as the seed would have it.
 */
export function planText(
  request: NeutralRequest,
  userText: string,
  { tokens, script, bits, unicode }: AnswerControls,
  seed: number,
): Piece[] {
  if (request.schema !== null) return inPieces(JSON.stringify(exampleOf(request.schema, exampleText(unicode))), bits);
  const scripted = script?.[request.resultRounds.length];
  if (typeof scripted === 'string') return inPieces(scripted, bits);
  const results = request.resultRounds.at(-1) ?? [];
  if (results.length > 0) return inPieces(`The tools said: ${results.join(' and ').slice(0, readCharacters)}`, bits);
  if (unicode) return inPieces(unicodeText, bits);
  const wanted = Math.max(tokens ?? fewestTokens + (seed % 32), 1);
  const echo = userText
    .slice(0, readCharacters)
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '' && countTextTokens(` ${word}`) === 1)
    .slice(0, echoedWords);
  const opening = ['The', ' sandbox', ' heard', ...echo.map((word) => ` ${word}`), ' and', ' answers', ':'].slice(
    0,
    wanted,
  );
  return [...opening.map((text) => ({ text, tokens: 1 })), ...saidBy(seed, wanted - opening.length)];
}

/** What stands for a text in arguments and in answers by a schema. */
export function exampleText(unicode: boolean): string {
  return unicode ? unicodeText : 'example';
}

/** The controls that an answer depends on. */
export type AnswerControls = Pick<
  Behaviour,
  'fault' | 'tokens' | 'calls' | 'script' | 'bits' | 'unicode' | 'redact' | 'finish' | 'at'
>;
