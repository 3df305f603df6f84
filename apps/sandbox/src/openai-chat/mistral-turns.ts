import type { PlannedAnswer } from '../answer/planned-answer';
import { splitModel } from '../behaviour/read-behaviour';
import { optionalObjects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import type { RefusalDetails } from '../request/refusal';

/** The names that Mistral gives its models. */
const mistrals = /^(?:(?:mistral|ministral|magistral|codestral|devstral|pixtral|voxtral)-|open-mi)/;

export function isMistrals(model: string): boolean {
  return mistrals.test(model);
}

/**
 * Who may speak behind whom, as in Mistral's own library.
 * https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py
 */
const following: Readonly<Record<string, readonly string[]>> = {
  system: ['user', 'assistant', 'system'],
  user: ['assistant', 'system', 'user'],
  assistant: ['assistant', 'user', 'tool'],
  tool: ['assistant', 'tool'],
};

/**
 * In Mistral's words: https://github.com/BerriAI/litellm/issues/17761
 * https://github.com/huggingface/smolagents/issues/757 https://github.com/nearai/ironclaw/issues/1241
 * @throws Refusal
 */
export function checkMistralTurns({ messages }: Record<string, unknown>): void {
  const said = Array.isArray(messages) ? messages.filter(isRecord) : [];
  const order = (message: string): RefusalDetails => inMistralsForm(message, 'invalid_request_message_order', '3230');
  for (const [at, { role }] of said.entries()) {
    const before = textIn(said[at - 1]?.role);
    const isFit = following[before]?.includes(textIn(role)) ?? true;
    const unexpected = `Unexpected role '${textIn(role)}' after role '${before}'`;
    demand(isFit, unexpected, order(unexpected));
  }
  for (const message of said) checkSaid(message);
  const last = said.at(-1);
  const isOpen = said.length < 2 || last?.role !== 'assistant' || last.prefix === true;
  const expected = 'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant';
  demand(isOpen, expected, order(expected));
  for (const { tool_calls: calls, tool_call_id: answered } of said) {
    for (const { id } of optionalObjects(calls, 'tool_calls')) checkId(textIn(id));
    if (answered !== undefined && answered !== null) checkId(textIn(answered));
  }
}

/** https://github.com/OpenHands/OpenHands/issues/8685 https://github.com/solbrowse/extension/issues/16 */
function checkSaid({ role, content, tool_calls: calls }: Record<string, unknown>): void {
  const words = 'Assistant message must have either content or tool_calls, but not none.';
  const holds = (value: unknown) => (Array.isArray(value) ? value.length > 0 : (value ?? '') !== '');
  const isSaid = role !== 'assistant' || holds(content) || holds(calls);
  demand(isSaid, words, inMistralsForm(words, 'invalid_request_error', null));
}

function checkId(id: string): void {
  const words = `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
  demand(/^[a-zA-Z0-9]{9}$/.test(id), words, inMistralsForm(words, 'invalid_function_call', '3280'));
}

/**
 * Mistral's error is no member of an object: https://github.com/mistralai/mistral-vibe/issues/1075
 * https://github.com/BerriAI/litellm/issues/17761
 */
function inMistralsForm(message: string, type: string, code: string | null): RefusalDetails {
  const more = { object: 'error', message, type, param: null, code, ...(code !== null && { raw_status_code: 400 }) };
  return { type, code: code ?? undefined, more };
}

/**
 * What this model says, with ids of calls as Mistral gives them:
 * https://docs.mistral.ai/capabilities/function_calling/ Of another maker: the very same.
 */
export function withOwnIds(said: PlannedAnswer, model: string): PlannedAnswer {
  if (!isMistrals(splitModel(model).name)) return said;
  const blocks = said.blocks.map((block) =>
    block.type === 'tool-call' ? { ...block, id: block.id.replace(/\W|_/g, '').slice(-9).padStart(9, '0') } : block,
  );
  return { ...said, blocks };
}
