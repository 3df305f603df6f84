import { isRecord } from '../wire/json-value';

type Body = Record<string, unknown>;

/** What a model without a compaction of its own is asked at the end of the conversation. */
const wish = `Write a summary of this conversation so far. It takes the place of everything above but the user's own messages, for a model that goes on with the work and sees nothing else.
Say what was asked and what is wanted in the end; what was decided, and why; what was done and found, with the names of files, commands, values and errors that are still needed, word for word; what is not finished, and the next step.
Answer with the summary alone. Do not go on with the work, and call no tool.`;

/**
 * True for a request that ends with the wish to be compacted, as Codex sends it.
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
export function asksForCompaction({ input }: Body): boolean {
  return Array.isArray(input) && isTrigger(input.at(-1));
}

function isTrigger(item: unknown): boolean {
  return isRecord(item) && item.type === 'compaction_trigger';
}

/**
 * The same conversation, with the wish for a summary at its end: in prose and without calls, whatever its
 * turns are asked for.
 */
export function summaryRequest(body: Body): Body {
  const { text: _, max_output_tokens: _limit, stream_options: _options, context_management: _context, ...rest } = body;
  const said = itemsOf(body.input).filter((item) => !isTrigger(item));
  const tools = Array.isArray(body.tools) && body.tools.length > 0 ? body.tools : calledTools(said);
  const input = [...said, { type: 'message', role: 'user', content: [{ type: 'input_text', text: wish }] }];
  return { ...rest, input, store: false, ...(tools.length > 0 && { tools, tool_choice: 'none' }) };
}

/**
 * Some providers take calls only beside definitions of their tools, which a request to compact need not have.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolConfiguration.html
 */
function calledTools(items: readonly Body[]): Body[] {
  const names = new Set(
    items.flatMap(({ type, name }) => (type === 'function_call' && name !== undefined ? [name] : [])),
  );
  return [...names].map((name) => ({ type: 'function', name, parameters: { type: 'object', properties: {} } }));
}

/** The items of an input or output; a text is a message of the user's. */
export function itemsOf(input: unknown): Body[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  return Array.isArray(input) ? input.filter(isRecord) : [];
}
