import type { PlannedAnswer } from '../answer/planned-answer';
import { splitModel } from '../behaviour/read-behaviour';
import { optionalObjects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';

/** The names that Mistral gives its models. */
export const mistrals = /^(?:(?:mistral|ministral|magistral|codestral|devstral|pixtral|voxtral)-|open-mi)/;

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
  const order = { type: 'invalid_request_message_order', code: '3230' };
  for (const [at, { role }] of said.entries()) {
    const before = textIn(said[at - 1]?.role);
    const isFit = following[before]?.includes(textIn(role)) ?? true;
    demand(isFit, `Unexpected role '${textIn(role)}' after role '${before}'`, order);
  }
  const last = said.at(-1);
  demand(
    said.length < 2 || last?.role !== 'assistant' || last.prefix === true,
    'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    order,
  );
  for (const { tool_calls: calls, tool_call_id: answered } of said) {
    for (const { id } of optionalObjects(calls, 'tool_calls')) checkId(textIn(id));
    if (answered !== undefined && answered !== null) checkId(textIn(answered));
  }
}

/**
 * What a request may hold, by the schema that Mistral makes its clients of:
 * https://github.com/mistralai/client-python (models/chatcompletionrequest.py)
 */
const fields = [
  'model',
  'messages',
  'temperature',
  'top_p',
  'max_tokens',
  'stream',
  'stop',
  'random_seed',
  'metadata',
  'response_format',
  'tools',
  'tool_choice',
  'presence_penalty',
  'frequency_penalty',
  'n',
  'prediction',
  'parallel_tool_calls',
  'reasoning_effort',
  'prompt_mode',
  'guardrails',
  'prompt_cache_key',
  'safe_prompt',
];

/** https://github.com/SillyTavern/SillyTavern/pull/4856 */
const highestTemperature = 1.5;

/**
 * The schema is closed. In Mistral's words: https://github.com/editor-code-assistant/eca/issues/231
 * https://github.com/avante-corp/avante.nvim/issues/2347 https://github.com/vegu-ai/talemate/issues/102
 * @throws Refusal
 */
export function checkMistralFields(body: Record<string, unknown>): void {
  for (const name of Object.keys(body))
    demand(fields.includes(name), 'Extra inputs are not permitted', {
      status: 422,
      code: 'extra_forbidden',
      param: `body.${name}`,
    });
  const { temperature } = body;
  demand(
    typeof temperature !== 'number' || temperature <= highestTemperature,
    `Input should be less than or equal to ${highestTemperature}`,
    { status: 422, code: 'less_than_equal', param: 'body.temperature' },
  );
}

function checkId(id: string): void {
  demand(/^[a-zA-Z0-9]{9}$/.test(id), `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`, {
    type: 'invalid_function_call',
    code: '3280',
  });
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
