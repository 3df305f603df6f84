import type { SpanContext } from '@opentelemetry/api';

/**
 * Version 00 of https://www.w3.org/TR/trace-context/#traceparent-header; ids of nothing but zeros are not
 * valid.
 */
const form = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads a traceparent; null when it is not valid. */
export function fromTraceparent(traceparent: string): SpanContext | null {
  const [, traceId, spanId, flags] = form.exec(traceparent) ?? [];
  if (!traceId || !spanId || !flags) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** Writes a traceparent. */
export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`;
}
