import type { GenerationFailure } from '@tollgate/contracts/inference';
import { noSpan } from '@tollgate/observability';
import type { Span, Tracer } from '@tollgate/observability';
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestContext } from '../http/request-context';
import type { Operation } from './operations';

/** The form of https://www.w3.org/TR/trace-context/#traceparent-header, version 00. */
const traceparentForm = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Begins the span of a request, below the caller's own.
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server-span
 */
export function requestSpan(
  tracer: Tracer,
  { path }: Operation,
  headers: IncomingHttpHeaders,
  { requestId }: RequestContext,
): Span {
  if (!tracer.isOn) return noSpan;
  return tracer.start(`POST ${path}`, 'server', traceparentOf(headers), {
    'http.request.method': 'POST',
    'http.route': path,
    'tollgate.request_id': requestId,
  });
}

/**
 * A failure that is no fault of the caller's fails the span, be it told by the status or, later, in the
 * stream.
 */
export function failRequestSpan(span: Span, { code }: GenerationFailure): void {
  if (code !== 'refused' && code !== 'cancelled' && code !== 'slow_reader') span.fail(code);
}

/** Ends the span with the status that the caller saw; 499: it left before it saw one. */
export function endRequestSpan(tracer: Tracer, span: Span, status: number): void {
  if (!tracer.isOn) return;
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
  span.end();
}

/** The caller's trace context, null when there is none of a known form. */
export function traceparentOf(headers: IncomingHttpHeaders): string | null {
  const { traceparent } = headers;
  return typeof traceparent === 'string' && traceparentForm.test(traceparent) ? traceparent : null;
}
