import { shortName } from '../canonical/short-names';
import type { UpstreamTarget } from '../provider-dialect';
import { holdsText } from '../wire/holds-text';
import { isRecord } from '../wire/json-value';

type Json = Record<string, unknown>;

/** Characters that OpenAI takes of the id of a call: https://github.com/vercel/ai/issues/5171 */
const longest = 40;
/** OpenAI's own models, whoever sells them; its open ones are served by others. */
const openAis = /(?:^|[./])(?:gpt-(?!oss)|chatgpt-|o[1-9])/;

/**
 * Whether a model takes short ids of calls only. Servers of an operator's own may keep something in longer
 * ones.
 */
export function wantsShortCallIds({ provider, model, upstreamModel }: UpstreamTarget): boolean {
  return !provider.operatorDefined && (openAis.test(upstreamModel) || openAis.test(model.id));
}

/** Whether a body may hold an id that is too long, at a glance. */
export function mayHoldLongIds(body: Buffer): boolean {
  return holdsText(body, '"tool_call_id"') && longId.test(body.toString('latin1'));
}

const longId = new RegExp(`"(?:tool_call_)?id"\\s*:\\s*"[^"]{${longest + 1}}`);

/** An id that is too long becomes its digest, the same every time, so that calls and results stay together. */
export function toShortCallId(id: string): string {
  return shortName(id, longest);
}

/** A message with other ids of its calls, or of the call that it answers. The very same where all stay. */
export function withCallIds(message: Json, to: (id: string) => string): Json {
  const { tool_calls: calls, tool_call_id: answered } = message;
  const id = typeof answered === 'string' ? to(answered) : answered;
  const taken = id === answered ? message : { ...message, tool_call_id: id };
  if (!Array.isArray(calls)) return taken;
  const fit = calls.map((call: unknown) => {
    if (!isRecord(call) || typeof call.id !== 'string') return call;
    const own = to(call.id);
    return own === call.id ? call : { ...call, id: own };
  });
  return fit.every((call, index) => call === calls[index]) ? taken : { ...taken, tool_calls: fit };
}
