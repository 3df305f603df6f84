import { textIn } from '../voice/answer-plan';
import type { PlannedBlock } from '../voice/answer-plan';
import type { Spoken, SpokenStep, SpokenStream, Voice } from '../voice/voice';
import { readCohereChat } from './cohere-request';

const finishReasons = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  'tool-calls': 'TOOL_CALL',
  'stop-sequence': 'STOP_SEQUENCE',
} as const;

/** Cohere's chat, version 2. https://docs.cohere.com/reference/chat https://docs.cohere.com/reference/chat-stream */
export const cohere: Voice = {
  dialect: 'cohere',
  paths: [{ path: '/chat', stream: null }],
  streamType: 'text/event-stream',
  read: readCohereChat,
  plain: (spoken) =>
    JSON.stringify({
      id: spoken.newId(),
      finish_reason: finishReasons[spoken.answer.finish],
      message: messageOf(spoken),
      ...usageOf(spoken),
    }),
  stream,
  error: (_status, message) => ({ body: JSON.stringify({ id: 'sandbox', message }) }),
  errorInStream: (message) =>
    event('message-end', { id: 'sandbox', delta: { error: message, finish_reason: 'ERROR' } }),
  malformed: () => 'event: content-delta\ndata: {"type":"content-delta","index":0,"del\n\n',
};

/** Billed units and tokens are the same here; at Cohere they may differ. */
function usageOf({ usage }: Spoken): Record<string, unknown> {
  if (!usage) return {};
  const tokens = { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
  return {
    usage: { billed_units: tokens, tokens, ...(usage.cachedTokens > 0 && { cached_tokens: usage.cachedTokens }) },
  };
}

function messageOf({ answer }: Spoken): Record<string, unknown> {
  const content = answer.blocks.flatMap((block) => {
    if (block.type === 'tool-call') return [];
    const text = textIn(block.pieces);
    return [block.type === 'reasoning' ? { type: 'thinking', thinking: text } : { type: 'text', text }];
  });
  const calls = answer.blocks.flatMap((block) =>
    block.type === 'tool-call' ? [callOf(block, textIn(block.pieces))] : [],
  );
  return {
    role: 'assistant',
    ...(content.length > 0 && { content }),
    ...(calls.length > 0 && { tool_calls: calls, tool_plan: 'I will use the tools.' }),
  };
}

function callOf(block: Extract<PlannedBlock, { type: 'tool-call' }>, text: string): Record<string, unknown> {
  return { id: block.id, type: 'function', function: { name: block.name, arguments: text } };
}

function stream(spoken: Spoken): SpokenStream {
  return {
    opening: event('message-start', {
      id: spoken.newId(),
      delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] } },
    }),
    steps: spoken.answer.blocks.flatMap(blockSteps),
    closing: event('message-end', {
      delta: { finish_reason: finishReasons[spoken.answer.finish], ...usageOf(spoken) },
    }),
  };
}

function blockSteps(block: PlannedBlock, index: number): SpokenStep[] {
  if (block.type === 'tool-call') return callSteps(block, index);
  const [type, member] = block.type === 'reasoning' ? ['thinking', 'thinking'] : ['text', 'text'];
  return [
    { bytes: event('content-start', { index, delta: { message: { content: { type, [member]: '' } } } }), tokens: 0 },
    ...block.pieces.map(({ text, tokens }) => ({
      bytes: event('content-delta', { index, delta: { message: { content: { [member]: text } } } }),
      tokens,
    })),
    { bytes: event('content-end', { index }), tokens: 0 },
  ];
}

function callSteps(block: Extract<PlannedBlock, { type: 'tool-call' }>, index: number): SpokenStep[] {
  const call = (type: string, members: Record<string, unknown>) =>
    event(type, { index, delta: { message: { tool_calls: members } } });
  return [
    { bytes: call('tool-call-start', callOf(block, '')), tokens: block.nameTokens },
    ...block.pieces.map(({ text, tokens }) => ({
      bytes: call('tool-call-delta', { function: { arguments: text } }),
      tokens,
    })),
    { bytes: event('tool-call-end', { index }), tokens: 0 },
  ];
}

function event(type: string, members: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}
