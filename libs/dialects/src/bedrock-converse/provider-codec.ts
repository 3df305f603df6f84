import type { ProviderCodec } from '../canonical/codec';
import { plainNames } from '../canonical/tool-names';
import { ConverseAnswerParser } from './answer-parser';
import { readError } from './read-error';
import { bedrockConverseSupport } from './support';
import { toConverseRequest } from './to-converse-request';

/**
 * Amazon Bedrock's Converse and ConverseStream: one format for the models of all makers.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference.html
 */
export const bedrockConverseProviderCodec: ProviderCodec = {
  name: 'bedrock-converse',
  framing: 'aws',
  support: bedrockConverseSupport,
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html
  toolNames: plainNames(64),
  takesExtra: () => false,
  toRequest: toConverseRequest,
  answerParser: (context) => new ConverseAnswerParser(context),
  readError,
};
