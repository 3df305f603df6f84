import { crc32 } from 'node:zlib';
import type { PlannedAnswer, PlannedBlock, TextBlock } from '../answer/planned-answer';
import { memberOf } from '../request/read-values';
import { demand, Refusal } from '../request/refusal';
import type {
  Dialect,
  ErrorReply,
  Spoken,
  SpokenStep,
  SpokenStream,
  WrittenError,
  SpokenUsage,
} from '../speech/simulated-dialect';
import { readConverse } from './read-converse';
import { jsonObject } from '../answer/json-object';
import { textOf } from '../answer/pieces';

/**
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors
 */
const wordings: Readonly<Record<number, [exception: string, message: string]>> = {
  400: ['ValidationException', 'The request was refused by the sandbox.'],
  401: ['UnrecognizedClientException', 'The security token included in the request is invalid.'],
  403: ['AccessDeniedException', "You don't have access to the model with the specified model ID."],
  404: ['ResourceNotFoundException', 'Could not resolve the foundation model from the provided model identifier.'],
  408: ['ModelTimeoutException', 'The model timed out.'],
  424: ['ModelErrorException', 'The model returned an error.'],
  429: ['ThrottlingException', 'Too many requests, please wait before trying again.'],
  500: [
    'InternalServerException',
    'The system encountered an unexpected error during processing. Try your request again.',
  ],
  503: ['ServiceUnavailableException', 'Bedrock is unable to process your request.'],
};

/**
 * Only some models count, and no inference profile does.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/count-tokens.html
 */
const tokenCount: Dialect['counting'] = {
  isAsked: ({ path }) => path.endsWith('/count-tokens'),
  generation: (body, addressed) => {
    const model = decodeURIComponent(addressed.model ?? '');
    demand(/^anthropic\./.test(model), "The provided model doesn't support counting tokens.");
    const converse = memberOf(memberOf(body, 'input'), 'converse');
    for (const name of Object.keys(converse))
      demand(
        ['messages', 'system', 'toolConfig', 'additionalModelRequestFields'].includes(name),
        `1 validation error detected: Value at 'input.converse' has an unknown member '${name}'.`,
      );
    return [converse, { ...addressed, path: addressed.path.replace(/count-tokens$/, 'converse') }];
  },
  answer: (inputTokens) => ({ inputTokens }),
};

/** Bedrock's Converse. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const bedrockConverse: Dialect = {
  name: 'bedrock-converse',
  paths: [
    { path: '/model/:model/converse', stream: false },
    { path: '/model/:model/converse-stream', stream: true },
    { path: '/model/:model/count-tokens', stream: false },
  ],
  counting: tokenCount,
  streamType: 'application/vnd.amazon.eventstream',
  overloadedStatus: 503,
  read: readConverse,
  plain: ({ choices, usage }) =>
    JSON.stringify({
      output: { message: { role: 'assistant', content: choices[0].blocks.map(contentOf) } },
      stopReason: stopReasons[choices[0].finish],
      ...metadataOf(usage),
    }),
  stream: converseStream,
  error: writeConverseError,
  tooLong: converseTooLong,
  errorInStream: (message) => frame('exception', 'modelStreamErrorException', { message }),
  malformed: () => {
    const broken = frame('event', 'contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'x' } });
    // Its checksum no longer fits.
    broken.writeUInt8(broken.readUInt8(broken.length - 6) ^ 1, broken.length - 6);
    return broken;
  },
};

/** The kind of an error stands in a header. */
function writeConverseError({ status, message }: ErrorReply): WrittenError {
  const [exception, usual] = wordings[status] ?? [
    'InternalServerException',
    `The sandbox was told to answer ${status}.`,
  ];
  return { body: JSON.stringify({ message: message ?? usual }), headers: { 'x-amzn-errortype': exception } };
}

/** The prompt holds more than the model takes. */
function converseTooLong(): Refusal {
  return new Refusal('Input is too long for requested model.');
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
function converseStream({ choices, usage }: Spoken): SpokenStream {
  const [answer] = choices;
  return {
    opening: frame('event', 'messageStart', { role: 'assistant' }),
    steps: stepsOf(answer),
    closing: () =>
      Buffer.concat([
        frame('event', 'messageStop', { stopReason: stopReasons[answer.finish] }),
        frame('event', 'metadata', metadataOf(usage)),
      ]),
  };
}

/** Only blocks of tool use have a start. */
function* stepsOf({ blocks }: PlannedAnswer): Generator<SpokenStep> {
  for (const [contentBlockIndex, block] of blocks.entries()) {
    const delta = (members: object) => frame('event', 'contentBlockDelta', { contentBlockIndex, delta: members });
    if (block.type === 'tool-call') {
      const start = { toolUse: { toolUseId: toolUseId(block.id), name: block.name } };
      yield { bytes: frame('event', 'contentBlockStart', { contentBlockIndex, start }), tokens: block.nameTokens };
    }
    for (const { text, tokens } of block.pieces) {
      const members = deltaOf(block, text);
      yield { bytes: members ? delta(members) : '', tokens };
    }
    for (const members of lastDeltas(block)) yield { bytes: delta(members), tokens: 0 };
    yield { bytes: frame('event', 'contentBlockStop', { contentBlockIndex }), tokens: 0 };
  }
}

function deltaOf(block: PlannedBlock, text: string): object | null {
  switch (block.type) {
    case 'reasoning':
      return block.isRedacted ? null : { reasoningContent: { text } };
    case 'text':
    case 'refusal':
      return { text };
    case 'tool-call':
      return { toolUse: { input: text } };
  }
}

/** What comes behind the last bit of a block. */
function lastDeltas(block: PlannedBlock): object[] {
  if (block.type === 'reasoning')
    return [{ reasoningContent: block.isRedacted ? { redactedContent: block.seal } : { signature: block.seal } }];
  return block.type === 'text' ? citationsOf(block).map((citation) => ({ citation })) : [];
}

type Json = Record<string, unknown>;

/**
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_ResponseElements
 */
const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'stop-sequence': 'stop_sequence',
  refusal: 'content_filtered',
  filter: 'guardrail_intervened',
  broken: 'malformed_model_output',
} as const;

/** A block of a whole answer. */
function contentOf(block: PlannedBlock): Json {
  const text = textOf(block.pieces);
  switch (block.type) {
    case 'reasoning':
      return block.isRedacted
        ? { reasoningContent: { redactedContent: block.seal } }
        : { reasoningContent: { reasoningText: { text, signature: block.seal } } };
    case 'text':
      return block.citations.length === 0
        ? { text }
        : { citationsContent: { content: [{ text }], citations: citationsOf(block) } };
    case 'refusal':
      return { text };
    case 'tool-call':
      return { toolUse: { toolUseId: toolUseId(block.id), name: block.name, input: jsonObject(text) } };
  }
}

function toolUseId(id: string): string {
  return `tooluse_${id}`;
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Citation.html */
function citationsOf({ citations }: TextBlock): Json[] {
  return citations.map(({ index, title, text }) => ({
    title,
    sourceContent: [{ text }],
    location: { documentChar: { documentIndex: index, start: 0, end: text.length } },
  }));
}

/** What a cache gave and took is counted apart. */
function metadataOf(usage: SpokenUsage | null): Json {
  const metrics = { latencyMs: 1 };
  if (!usage) return { metrics };
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return {
    usage: {
      inputTokens: inputTokens - cacheReadTokens - cacheWriteTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      cacheReadInputTokens: cacheReadTokens,
      cacheWriteInputTokens: cacheWriteTokens,
    },
    metrics,
  };
}

/** The type of a header's value that is a text. */
const textType = 7;
const preludeBytes = 8;
const checksumBytes = 4;

/**
 * One message of an AWS event stream: the lengths of all and of the headers, a checksum of both, headers,
 * payload, a checksum of everything before. Numbers are big-endian.
 * https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html#streaming-event-stream
 */
export function frame(kind: 'event' | 'exception', type: string, payload: Record<string, unknown>): Buffer {
  const headers = Buffer.concat([
    header(`:${kind}-type`, type),
    header(':content-type', 'application/json'),
    header(':message-type', kind),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const total = preludeBytes + checksumBytes + headers.length + body.length + checksumBytes;
  const prelude = Buffer.alloc(preludeBytes);
  prelude.writeUInt32BE(total, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const checked = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([checked, checksum(checked)]);
}

function header(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  const lengths = Buffer.from([textType, text.length >> 8, text.length & 0xff]);
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), lengths, text]);
}

function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(checksumBytes);
  sum.writeUInt32BE(crc32(bytes), 0);
  return sum;
}
