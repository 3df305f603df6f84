import type { PlannedAnswer, PlannedBlock } from '../answer/planned-answer';
import { memberOf } from '../request/read-values';
import { demand, Refusal } from '../request/refusal';
import type { Dialect, ErrorReply, Spoken, SpokenStep, SpokenStream, WrittenError } from '../speech/simulated-dialect';
import { citationsOf, contentOf, metadataOf, stopReasons, toolUseId } from './converse-content';
import { frame } from './frame';
import { readConverse } from './read-converse';

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
