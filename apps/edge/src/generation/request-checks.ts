import { GatewayError } from '@tollgate/contracts';
import type { IncomingHttpHeaders } from 'node:http';
import { checkEncoding } from './body-encoding';

/** The form of https://www.w3.org/TR/trace-context/#traceparent-header, version 00. */
const traceparentForm = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * `hasThreads`: what this Node cannot decompress is decompressed on threads.
 * @throws GatewayError 415 unless the body is announced as JSON, plain or in an encoding that can be read.
 */
export function checkContentType(headers: IncomingHttpHeaders, hasThreads = false): void {
  const type = headers['content-type'] ?? '';
  if (!/^\s*application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type))
    throw new GatewayError(415, 'The request body must be sent with Content-Type: application/json.');
  checkEncoding(headers['content-encoding'], hasThreads);
}

/** The caller's trace context, null when there is none of a known form. */
export function traceparentOf(headers: IncomingHttpHeaders): string | null {
  const { traceparent } = headers;
  return typeof traceparent === 'string' && traceparentForm.test(traceparent) ? traceparent : null;
}
