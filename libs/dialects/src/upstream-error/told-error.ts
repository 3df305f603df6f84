import type { ErrorBody, GatewayError } from '@tollgate/contracts';

/**
 * By what the agents of a surface know that the context is full: `words` are looked for anywhere in the
 * message, `sentence` holds them for a provider that says it in others.
 */
export interface FullContextWords {
  words: string;
  sentence: string;
}

/**
 * OpenAI's, on both of its surfaces. LiteLLM, and Aider by it, looks for "this model's maximum context length
 * is", Cline and others for a part of it.
 * https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/exception_mapping_utils.py
 */
export const openaiFullContext: FullContextWords = {
  words: 'maximum context length',
  sentence: "This model's maximum context length is exceeded.",
};

/**
 * The body of an error, with the words in it on which agents make room in a full context: the reason beside
 * the message says the same, but neither OpenAI nor Anthropic has one there, so few look at it. The
 * provider's own message comes first, as it is: clients read numbers out of it, and some look at how it
 * begins.
 */
export function toldError({ body }: GatewayError, { words, sentence }: FullContextWords): ErrorBody {
  const { message, details } = body.error;
  if (details?.reason !== 'context_length_exceeded' || message.toLowerCase().includes(words)) return body;
  return { error: { ...body.error, message: `${message.trimEnd()} ${sentence}` } };
}
