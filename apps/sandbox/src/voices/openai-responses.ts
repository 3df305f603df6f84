import { textIn } from '../voice/answer-plan';
import type { PlannedBlock } from '../voice/answer-plan';
import type { Spoken, SpokenStep, SpokenStream, Voice } from '../voice/voice';
import { readResponses } from './responses-request';

/** OpenAI's responses. https://platform.openai.com/docs/api-reference/responses https://platform.openai.com/docs/api-reference/responses-streaming */
export const openaiResponses: Voice = {
  dialect: 'openai-responses',
  paths: [{ path: '/responses', stream: null }],
  streamType: 'text/event-stream; charset=utf-8',
  read: readResponses,
  plain: (spoken) => JSON.stringify(whole(spoken, response(spoken))),
  stream,
  error: (status, message, type) => ({
    body: JSON.stringify({
      error: {
        message,
        type: type ?? (status < 500 ? 'invalid_request_error' : 'server_error'),
        param: null,
        code: null,
      },
    }),
  }),
  errorInStream: (message) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', code: 'server_error', message, param: null, sequence_number: 0 })}\n\n`,
  malformed: () => 'event: response.output_text.delta\ndata: {"type":"response.output_te\n\n',
};

function response({ model, newId, nowS }: Spoken): Record<string, unknown> {
  return {
    id: `resp_${newId()}`,
    object: 'response',
    created_at: nowS,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    model,
    output: [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: null,
    metadata: {},
  };
}

function whole({ answer, usage, newId }: Spoken, base: Record<string, unknown>): Record<string, unknown> {
  const isCut = answer.finish === 'length';
  return {
    ...base,
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: answer.blocks.map((block) => itemOf(block, newId, 'completed')),
    usage: usage && {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cachedTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
      total_tokens: usage.inputTokens + usage.outputTokens,
    },
  };
}

function itemOf(block: PlannedBlock, newId: () => string, status: string): Record<string, unknown> {
  const text = status === 'completed' ? textIn(block.pieces) : '';
  switch (block.type) {
    case 'reasoning':
      return {
        id: `rs_${newId()}`,
        type: 'reasoning',
        summary: text === '' ? [] : [{ type: 'summary_text', text }],
        ...(status === 'completed' && { encrypted_content: block.signature }),
      };
    case 'text':
      return {
        id: `msg_${newId()}`,
        type: 'message',
        status,
        role: 'assistant',
        content: text === '' ? [] : [part(text)],
      };
    case 'tool-call':
      return {
        id: `fc_${newId()}`,
        type: 'function_call',
        status,
        call_id: block.id,
        name: block.name,
        arguments: text,
      };
  }
}

function part(text: string): Record<string, unknown> {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function stream(spoken: Spoken): SpokenStream {
  let sequence = 0;
  const event = (type: string, members: Record<string, unknown>): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...members })}\n\n`;
  const base = response(spoken);
  const opening = event('response.created', { response: base }) + event('response.in_progress', { response: base });
  const done: Record<string, unknown>[] = [];
  const steps = spoken.answer.blocks.flatMap((block, index) => blockSteps(block, index, spoken.newId, event, done));
  const final = { ...whole(spoken, base), output: done };
  const isCut = spoken.answer.finish === 'length';
  return { opening, steps, closing: event(isCut ? 'response.incomplete' : 'response.completed', { response: final }) };
}

function blockSteps(
  block: PlannedBlock,
  index: number,
  newId: () => string,
  event: (type: string, members: Record<string, unknown>) => string,
  done: Record<string, unknown>[],
): SpokenStep[] {
  const item = itemOf(block, newId, 'in_progress');
  const place = { item_id: item.id, output_index: index };
  const text = textIn(block.pieces);
  const words = wordsOf(block);
  const begin =
    event('response.output_item.added', { output_index: index, item }) +
    words.begin.map((type) => event(type, { ...place, ...words.place, part: words.part('') })).join('');
  const deltas = block.pieces.map((piece) => ({
    bytes: event(words.delta, {
      ...place,
      ...words.place,
      delta: piece.text,
      ...(block.type === 'text' && { logprobs: [] }),
    }),
    tokens: piece.tokens,
  }));
  const finished = { ...itemOf(block, newId, 'completed'), id: item.id };
  done.push(finished);
  const end =
    event(words.done, {
      ...place,
      ...words.place,
      [block.type === 'tool-call' ? 'arguments' : 'text']: text,
      ...(block.type === 'text' && { logprobs: [] }),
    }) +
    words.end.map((type) => event(type, { ...place, ...words.place, part: words.part(text) })).join('') +
    event('response.output_item.done', { output_index: index, item: finished });
  return [
    { bytes: begin, tokens: block.type === 'tool-call' ? block.nameTokens : 0 },
    ...deltas,
    { bytes: end, tokens: 0 },
  ];
}

/** The events of each kind of block. */
function wordsOf({ type }: PlannedBlock): {
  begin: string[];
  delta: string;
  done: string;
  end: string[];
  place: Record<string, number>;
  part: (text: string) => Record<string, unknown>;
} {
  switch (type) {
    case 'text':
      return {
        begin: ['response.content_part.added'],
        delta: 'response.output_text.delta',
        done: 'response.output_text.done',
        end: ['response.content_part.done'],
        place: { content_index: 0 },
        part,
      };
    case 'reasoning':
      return {
        begin: ['response.reasoning_summary_part.added'],
        delta: 'response.reasoning_summary_text.delta',
        done: 'response.reasoning_summary_text.done',
        end: ['response.reasoning_summary_part.done'],
        place: { summary_index: 0 },
        part: (text) => ({ type: 'summary_text', text }),
      };
    case 'tool-call':
      return {
        begin: [],
        delta: 'response.function_call_arguments.delta',
        done: 'response.function_call_arguments.done',
        end: [],
        place: {},
        part: () => ({}),
      };
  }
}
