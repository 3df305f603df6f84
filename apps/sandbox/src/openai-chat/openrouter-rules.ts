import { checkMarkCount } from '../anthropic-messages/cached-parts';
import { optionalObjects } from '../request/read-values';
import { demand } from '../request/refusal';

type Body = Record<string, unknown>;

/**
 * What those refuse to whom OpenRouter passes a request: xAI labels, in the words of
 * https://github.com/rbb-dev/Open-WebUI-OpenRouter-pipe/issues/62, and Anthropic more marks for its cache
 * than four. https://openrouter.ai/docs/guides/best-practices/prompt-caching
 * https://github.com/BerriAI/litellm/pull/15395 @throws Refusal
 */
export function checkPassedOn(body: Body, model: string): void {
  if (/^~?x-ai\//.test(model))
    demand((body.metadata ?? null) === null, 'Argument not supported: metadata', { code: '400' });
  if (/^~?anthropic\//.test(model)) checkMarkCount([body, ...optionalObjects(body.tools, 'tools'), ...turnsOf(body)]);
}

/** The messages, with their parts and calls. */
function turnsOf(body: Body): Body[] {
  return optionalObjects(body.messages, 'messages').flatMap((message) => [
    ...(Array.isArray(message.content) ? optionalObjects(message.content, 'content') : []),
    ...optionalObjects(message.tool_calls, 'tool_calls'),
    message,
  ]);
}
