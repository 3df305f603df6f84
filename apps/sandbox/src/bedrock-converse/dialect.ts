import { memberOf } from '../request/read-values';
import { demand } from '../request/refusal';
import type { Dialect } from '../speech/simulated-dialect';
import { contentOf, metadataOf, stopReasons } from './converse-content';
import { converseTooLong, writeConverseError } from './converse-error';
import { converseStream } from './converse-stream';
import { frame } from './frame';
import { readConverse } from './read-converse';

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
