import type { ProviderCodec } from '../canonical/codec';
import { GeminiAnswerParser } from './answer-parser';
import { readError } from './read-error';
import { geminiSupport } from './support';
import { toGeminiRequest } from './to-gemini-request';

/**
 * Google's generateContent and streamGenerateContent, at the Gemini API and at Vertex AI.
 * https://ai.google.dev/api/generate-content
 */
export const geminiProviderCodec: ProviderCodec = {
  name: 'gemini',
  framing: 'sse',
  support: geminiSupport,
  // OpenAI's tiers of that name; Anthropic's mean something else.
  takesExtra: (surface, field) => field === 'service_tier' && surface !== 'anthropic-messages',
  toRequest: toGeminiRequest,
  answerParser: (context) => new GeminiAnswerParser(context),
  readError,
};
