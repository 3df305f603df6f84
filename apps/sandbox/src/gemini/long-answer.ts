import { hash } from '../answer/hash';
import { textIn } from '../request/read-values';
import { demand } from '../request/refusal';

/**
 * What a token to go on with is bound to, how many tokens were written before, and how many this request may
 * write. `isCapped`: the limit of the whole answer leaves more.
 */
export interface LongAnswer {
  bound: string;
  used: number;
  room: number;
  isCapped: boolean;
}

const window = 1_048_576;

/**
 * Where an answer of Gemini 4 goes on from; null: the model writes none that is longer than one request. The
 * request that goes on must be the same, and the limit is that of the whole answer.
 * The rules are documented, the words are not.
 * https://ai.google.dev/gemini-api/docs/generate-content/long-decode
 * https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/guides/gemini-4-argon @throws Refusal
 */
export function readLongAnswer(
  { continuationToken: token, contents }: Record<string, unknown>,
  { model, stream, maxTokens }: { model: string; stream: boolean; maxTokens: number | null },
): LongAnswer | null {
  const writesLong = /^gemini-4-/.test(model);
  demand(
    token === undefined || writesLong,
    'Invalid JSON payload received. Unknown name "continuationToken": Cannot find field.',
  );
  if (!writesLong) return null;
  const bound = `${model}~${hash(JSON.stringify(contents)).toString(36)}`;
  const [made, used = ''] = token === undefined ? [bound, '0'] : textIn(token).split('~~');
  demand(made === bound && /^\d+$/.test(used), 'The continuation token is not one of this request.');
  const before = Number(used);
  const most = maxTokens ?? window;
  demand(
    most <= window,
    `Unable to submit request because it has a maxOutputTokens value of ${most} but the supported range is from 1 (inclusive) to ${window + 1} (exclusive).`,
  );
  demand(most > before, 'maxOutputTokens must be more than what was generated before.');
  const atOnce = stream ? 65_536 : 32_768;
  return { bound, used: before, room: Math.min(most - before, atOnce), isCapped: most - before > atOnce };
}

/** How an answer that is not whole ends, and with what it goes on. */
export function continuationOf(
  longAnswer: LongAnswer | null,
  { finish, outputTokens }: { finish: string; outputTokens: number },
): Record<string, unknown> {
  if (!longAnswer || finish !== 'length') return {};
  return {
    ...(longAnswer.isCapped && { finishReason: 'CONTINUATION' }),
    continuationToken: `${longAnswer.bound}~~${longAnswer.used + outputTokens}`,
  };
}
