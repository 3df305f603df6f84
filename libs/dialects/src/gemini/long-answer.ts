import { z } from 'zod';
import type { CanonicalMessage, MessagePart, ReasoningSeal } from '../canonical/generation-request';
import { sealerOf } from '../provider-dialect';
import type { UpstreamTarget } from '../provider-dialect';
import { parseJson } from '../wire/json-value';

/**
 * An answer of Gemini 4 that is longer than one request may write goes on in the next one: the very same
 * request with the token of the answer before, and without what it said.
 * Callers bring the token back as a seal, behind the answer that it is of.
 * https://ai.google.dev/gemini-api/docs/generate-content/long-decode
 */
const held = z.object({
  /** No other model can go on from it. */
  model: z.string(),
  token: z.string(),
  /** Output tokens of the answer so far, which count into the limit of what goes on from it. */
  used: z.number().int().nonnegative(),
});

/** Where an answer goes on from. */
export type Continuation = Omit<z.infer<typeof held>, 'model'>;

export function continuationSeal(continuation: Continuation, target: UpstreamTarget): ReasoningSeal {
  const value = JSON.stringify({ model: target.upstreamModel, ...continuation });
  return { dialect: 'gemini', kind: 'encrypted', value, madeBy: sealerOf(target) };
}

/** True for a token, which is no part of what was said. */
function isContinuation(part: MessagePart): boolean {
  return part.type === 'reasoning' && part.seal?.dialect === 'gemini' && part.seal.kind === 'encrypted';
}

/** The messages that a request is sent with, and where its answer goes on from; null: it begins anew. */
interface Resumed {
  messages: readonly CanonicalMessage[];
  continuation: Continuation | null;
}

/** Only the answer that stands at the end goes on; what stands behind one is a new question. */
export function resumedAnswer(
  messages: readonly CanonicalMessage[],
  target: UpstreamTarget,
  warn: (warning: string) => void,
): Resumed {
  const tokens = messages.flatMap(({ parts }) => parts.filter(isContinuation));
  if (tokens.length === 0) return { messages, continuation: null };
  const end = messages.findLastIndex(({ role }) => role !== 'assistant') + 1;
  const last = messages
    .slice(end)
    .flatMap(({ parts }) => parts.filter(isContinuation))
    .at(-1);
  const continuation = last && readSeal(last, target);
  if (continuation) return { messages: messages.slice(0, end), continuation };
  if (last) warn('where the answer stopped was dropped: another model or provider made it');
  const kept = messages.map((message) => ({
    ...message,
    parts: message.parts.filter((part) => !isContinuation(part)),
  }));
  return { messages: kept.filter(({ parts }) => parts.length > 0), continuation: null };
}

function readSeal(part: MessagePart, target: UpstreamTarget): Continuation | null {
  if (part.type !== 'reasoning' || part.seal?.madeBy !== sealerOf(target)) return null;
  const { success, data } = held.safeParse(parseJson(part.seal.value));
  return success && data.model === target.upstreamModel ? { token: data.token, used: data.used } : null;
}

/** A limit holds for the whole answer, what was said before included. */
export function limitWithUsed(
  asked: number | undefined,
  { used }: Continuation,
  target: UpstreamTarget,
): number | undefined {
  const { maxOutputTokens, maxOutputUnstreamed } = target.model;
  const most = (target.stream ? undefined : maxOutputUnstreamed) ?? maxOutputTokens;
  const more = asked ?? most;
  return more === null ? undefined : used + more;
}
