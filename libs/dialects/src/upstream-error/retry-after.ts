/** No provider is waited for longer than a day. */
const maxSeconds = 86_400;

/**
 * Seconds to wait, from `retry-after-ms` (OpenAI, Azure) or `retry-after` (seconds or an HTTP date, RFC 9110
 * section 10.2.3), rounded up.
 * Null when the provider named no time. `headers` have lower-case names.
 */
export function retryAfterSeconds(headers: Record<string, string>, nowMs: number): number | null {
  const milliseconds = number(headers['retry-after-ms']);
  if (milliseconds !== null) return bounded(milliseconds / 1_000);
  const value = headers['retry-after'];
  const seconds = number(value);
  if (seconds !== null) return bounded(seconds);
  // Date.parse takes almost anything for a date; an HTTP date begins with the day's name.
  const date = value !== undefined && /^[A-Z][a-z]+,? /.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? null : bounded((date - nowMs) / 1_000);
}

function number(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

function bounded(seconds: number): number {
  return Math.min(maxSeconds, Math.max(0, Math.ceil(seconds)));
}
