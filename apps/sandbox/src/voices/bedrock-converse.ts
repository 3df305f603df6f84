import { EventStreamCodec } from '@smithy/core/event-streams';
import { textIn } from '../voice/answer-plan';
import type { PlannedBlock } from '../voice/answer-plan';
import type { Spoken, SpokenStep, SpokenStream, Voice } from '../voice/voice';
import { readConverse } from './converse-request';

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => Buffer.from(text),
);

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors */
const exceptions: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
};

const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'stop-sequence': 'stop_sequence',
} as const;

/** Bedrock's Converse. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
export const bedrockConverse: Voice = {
  dialect: 'bedrock-converse',
  paths: [
    { path: '/model/:model/converse', stream: false },
    { path: '/model/:model/converse-stream', stream: true },
  ],
  streamType: 'application/vnd.amazon.eventstream',
  read: readConverse,
  plain: (spoken) =>
    JSON.stringify({
      output: { message: { role: 'assistant', content: spoken.answer.blocks.map(contentOf) } },
      stopReason: stopReasons[spoken.answer.finish],
      ...metadata(spoken),
    }),
  stream,
  error: (status, message) => ({
    body: JSON.stringify({ message }),
    headers: { 'x-amzn-errortype': exceptions[status] ?? 'InternalServerException' },
  }),
  errorInStream: (message) => frame('exception', 'modelStreamErrorException', { message }),
  // A frame whose payload breaks off: its checksum no longer fits.
  malformed: () =>
    frame('event', 'contentBlockDelta', { delta: { text: 'x' } }).map((byte, at) => (at === 60 ? byte ^ 1 : byte)),
};

/** What a cache gave is counted apart. */
function metadata({ usage }: Spoken): Record<string, unknown> {
  if (!usage) return { metrics: { latencyMs: 1 } };
  const { inputTokens, cachedTokens, outputTokens } = usage;
  const counted = {
    inputTokens: inputTokens - cachedTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cacheReadInputTokens: cachedTokens,
    cacheWriteInputTokens: 0,
  };
  return { usage: counted, metrics: { latencyMs: 1 } };
}

function contentOf(block: PlannedBlock): Record<string, unknown> {
  const text = textIn(block.pieces);
  switch (block.type) {
    case 'reasoning':
      return { reasoningContent: { reasoningText: { text, signature: block.signature } } };
    case 'text':
      return { text };
    case 'tool-call':
      return { toolUse: { toolUseId: `tooluse_${block.id}`, name: block.name, input: JSON.parse(text) as unknown } };
  }
}

function stream(spoken: Spoken): SpokenStream {
  const end = frame('event', 'messageStop', { stopReason: stopReasons[spoken.answer.finish] });
  return {
    opening: frame('event', 'messageStart', { role: 'assistant' }),
    steps: spoken.answer.blocks.flatMap(blockSteps),
    closing: Buffer.concat([end, frame('event', 'metadata', metadata(spoken))]),
  };
}

/** Only blocks of tool use have a start. */
function blockSteps(block: PlannedBlock, index: number): SpokenStep[] {
  const delta = (members: Record<string, unknown>): Uint8Array =>
    frame('event', 'contentBlockDelta', { contentBlockIndex: index, delta: members });
  const deltas = block.pieces.map(({ text, tokens }) => ({ bytes: delta(deltaOf(block, text)), tokens }));
  const start =
    block.type === 'tool-call'
      ? [
          {
            bytes: frame('event', 'contentBlockStart', {
              contentBlockIndex: index,
              start: { toolUse: { toolUseId: `tooluse_${block.id}`, name: block.name } },
            }),
            tokens: block.nameTokens,
          },
        ]
      : [];
  const signature =
    block.type === 'reasoning'
      ? [{ bytes: delta({ reasoningContent: { signature: block.signature } }), tokens: 0 }]
      : [];
  const stop = { bytes: frame('event', 'contentBlockStop', { contentBlockIndex: index }), tokens: 0 };
  return [...start, ...deltas, ...signature, stop];
}

function deltaOf(block: PlannedBlock, text: string): Record<string, unknown> {
  if (block.type === 'reasoning') return { reasoningContent: { text } };
  return block.type === 'text' ? { text } : { toolUse: { input: text } };
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html */
function frame(kind: 'event' | 'exception', type: string, payload: Record<string, unknown>): Uint8Array {
  const text = (value: string) => ({ type: 'string' as const, value });
  const headers = {
    ':message-type': text(kind),
    [kind === 'event' ? ':event-type' : ':exception-type']: text(type),
    ':content-type': text('application/json'),
  };
  return codec.encode({ headers, body: Buffer.from(JSON.stringify(payload)) });
}
