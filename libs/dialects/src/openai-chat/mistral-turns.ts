import { createHash } from 'node:crypto';
import { holdsFor, type UpstreamTarget } from '../provider-dialect';
import { isRecord } from '../wire/json-value';
import { shortName } from '../canonical/short-names';
import { holdsText } from '../wire/holds-text';

/** Whether this model takes turns only as Mistral's own servers do. */
export function wantsMistralTurns(target: UpstreamTarget): boolean {
  return holdsFor(target.provider.quirks.mistralTurns, target);
}

/** The first letters of a digest are as good as unique: there are 62 to the 9th of them. */
const idLength = 9;
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * The id of a call as Mistral takes it: nine letters and digits. One of another maker's becomes its digest,
 * the same every time, so that what is cached stays so.
 * https://github.com/anomalyco/opencode/issues/1680 https://github.com/mistralai/mistral-vibe/issues/1075
 */
export function toMistralCallId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  const digest = createHash('sha256').update(id).digest();
  return [...digest.subarray(0, idLength)].map((byte) => digits[byte % digits.length]).join('');
}

/**
 * What is said between the results of tools and who speaks next, since only the assistant may follow them. As
 * in https://github.com/anomalyco/opencode/pull/2440
 */
const between = { role: 'assistant', content: 'Done.' };

/**
 * An assistant's message that says and calls nothing: a 400.
 * https://github.com/OpenHands/OpenHands/issues/8685 https://github.com/solbrowse/extension/issues/16
 */
function isEmpty({ role, content, tool_calls: calls }: Record<string, unknown>): boolean {
  return role === 'assistant' && [content, calls].every(isNothing);
}

/** Whether a member says nothing, in any of the ways in which clients write that. */
export function isNothing(value: unknown): boolean {
  return (value ?? '') === '' || (Array.isArray(value) && value.length === 0);
}

/**
 * Messages in the order and with the ids that Mistral takes: behind the results of tools only the assistant
 * speaks, instructions do not follow what it said, and it says or calls something.
 * The very same list where nothing is to be changed.
 * https://github.com/BerriAI/litellm/issues/17761
 * https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py
 */
export function toMistralTurns(messages: readonly unknown[], warnings: string[]): readonly unknown[] {
  const written: unknown[] = [];
  let before: unknown = null;
  for (const message of messages) {
    if (!isRecord(message)) {
      written.push(message);
      continue;
    }
    if (isEmpty(message)) {
      tell(warnings, 'an empty message of the assistant was dropped: this model takes none');
      continue;
    }
    const { role } = message;
    if (before === 'tool' && role !== 'tool' && role !== 'assistant') {
      written.push(between);
      tell(warnings, "'Done.' was put behind the results of tools: this model lets only the assistant follow them");
      before = 'assistant';
    }
    const isLate = before === 'assistant' && (role === 'system' || role === 'developer');
    if (isLate)
      tell(warnings, 'a system message was sent as one of the user: this model takes none behind what it has said');
    const taken = withCallIds(isLate ? { ...message, role: 'user' } : message, toMistralCallId);
    written.push(taken);
    before = taken.role;
  }
  const isSame = written.length === messages.length && written.every((message, index) => message === messages[index]);
  return isSame ? messages : written;
}

function tell(warnings: string[], warning: string): void {
  if (!warnings.includes(warning)) warnings.push(warning);
}

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
