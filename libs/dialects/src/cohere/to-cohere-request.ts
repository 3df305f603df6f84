import type { ProviderRequest } from '../canonical/codec';
import type { CanonicalRequest } from '../canonical/generation-request';
import type { UpstreamTarget } from '../provider-dialect';
import { toMessages } from './to-messages';
import { toResponseFormat } from './to-response-format';
import { toSampling } from './to-sampling';
import { toThinking } from './to-thinking';
import { toTools } from './to-tools';
import { untoldCitations } from './untold-citations';

/**
 * Fields of Cohere's own that a caller may send in any dialect, which has none of these names:
 * https://docs.cohere.com/reference/chat
 */
export const takenExtra: readonly string[] = ['documents', 'citation_options', 'safety_mode'];

/** A request of version 2 of chat. https://docs.cohere.com/reference/chat */
export function toCohereRequest(request: CanonicalRequest, target: UpstreamTarget): ProviderRequest {
  const warnings = new Set<string>();
  const warn = (warning: string): void => void warnings.add(warning);
  const format = toResponseFormat(request, warn);
  const untold = untoldCitations(request.extra ?? {});
  if (untold !== null) warn(untold);
  const body = {
    ...request.extra,
    model: target.upstreamModel,
    messages: [...format.instruction, ...toMessages(request.messages, target, warn)],
    stream: request.stream,
    ...toTools(request, warn),
    ...toSampling(request, warn),
    response_format: format.responseFormat,
    thinking: toThinking(request.reasoning, target, warn),
  };
  return {
    path: '/chat',
    headers: {
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
    },
    body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
    warnings: [...warnings],
  };
}
