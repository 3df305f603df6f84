import type { Voice } from '../speech/voice';
import { contentOf, metadataOf, stopReasons } from './converse-content';
import { converseTooLong, writeConverseError } from './converse-error';
import { converseStream } from './converse-stream';
import { frame } from './frame';
import { readConverse } from './read-converse';

/** Bedrock's Converse. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const bedrockConverse: Voice = {
  dialect: 'bedrock-converse',
  paths: [
    { path: '/model/:model/converse', stream: false },
    { path: '/model/:model/converse-stream', stream: true },
  ],
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
