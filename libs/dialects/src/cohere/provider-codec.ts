import type { ProviderCodec } from '../canonical/codec';
import { CohereAnswerParser } from './answer-parser';
import { readError } from './read-error';
import { cohereSupport } from './support';
import { takenExtra, toCohereRequest } from './to-cohere-request';

/** Cohere's chat, version 2. https://docs.cohere.com/reference/chat */
export const cohereProviderCodec: ProviderCodec = {
  name: 'cohere',
  framing: 'sse',
  support: cohereSupport,
  // Letters, digits and underscores, not begun by a digit. https://docs.cohere.com/docs/tool-use-overview
  toolNames: { legal: /^[A-Za-z_]\w{0,127}$/, other: /\W/g, longest: 128 },
  takesExtra: (_surface, field) => takenExtra.includes(field),
  toRequest: toCohereRequest,
  answerParser: (context) => new CohereAnswerParser(context),
  readError,
};
