import type { InputTokens, SurfaceRequest } from '../surface-dialect';
import { RequestFields } from '../canonical/request-fields';
import { checkVersion } from './check-version';
import { readPrompt } from './read-request';

/**
 * Validates the body of POST /v1/messages/count_tokens, which is a messages request that needs no
 * `max_tokens`.
 * @throws GatewayError 400 naming the field.
 */
export function countTokensRequest(
  body: unknown,
  bodyBytes: number,
  headers: Readonly<Record<string, string>> = {},
): Pick<SurfaceRequest, 'model' | 'needs' | 'media'> & InputTokens {
  const fields = RequestFields.of(body, '');
  checkVersion(fields, headers);
  return readPrompt(fields, body, bodyBytes);
}
