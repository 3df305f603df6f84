import type { InputTokens, SurfaceRequest } from '../surface-dialect';
import { RequestFields } from '../canonical/request-fields';
import { readPrompt } from './read-request';

/** Validates the body of POST /v1/messages/count_tokens, which is a messages request that needs no `max_tokens`. @throws GatewayError 400 naming the field. */
export function countTokensRequest(
  body: unknown,
  bodyBytes: number,
): Pick<SurfaceRequest, 'model' | 'needs'> & InputTokens {
  return readPrompt(RequestFields.of(body, ''), body, bodyBytes);
}
