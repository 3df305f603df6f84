import type { GatewayError } from '@tollgate/contracts';
import { isRecord, openaiResponsesSurface, parseJson } from '@tollgate/dialects/surface';
import type { SseEvent } from '@tollgate/dialects/surface';

/** Headers of an answer that say what to do about an error. */
const errorHeaderNames = /^(?:retry-after|x-should-retry|x-request-id|x-tollgate-limit|x-ratelimit-.+)$/;

/**
 * An error as an event of a connection, which Codex reads as the answer to a request by its `status` and
 * `headers`; `code` is a word there, or nothing.
 * https://developers.openai.com/api/docs/guides/websocket-mode
 * https://github.com/openai/codex/blob/main/codex-rs/codex-api/src/endpoint/responses_websocket.rs
 */
export function errorEvent(
  status: number,
  told: unknown,
  lane: string | null,
  headers: Readonly<Record<string, string>> = {},
): string {
  const body = isRecord(told) ? told : {};
  const { message = 'The answer broke off.', type = 'upstream_error', code, details } = errorIn(body);
  const { reason = null, param = null } = isRecord(details) ? details : {};
  const word = typeof code === 'string' && statusIn(code) === null ? code : reason;
  const error = { type, code: word, message, param, ...(isRecord(details) && { details }) };
  const kept = Object.entries(headers).filter(([name]) => errorHeaderNames.test(name));
  return JSON.stringify({
    type: 'error',
    status,
    ...(lane !== null && { stream_id: lane }),
    error,
    ...(kept.length > 0 && { headers: Object.fromEntries(kept) }),
  });
}

/** As `errorEvent`, of a refusal that no request stands behind. */
export function refusalEvent(error: GatewayError, lane: string | null): string {
  return errorEvent(error.status, openaiResponsesSurface.errorBody(error, ''), lane);
}

/** What an event of a stream is on a connection, with the name of its lane. Null: it tells nothing. */
export function socketEvent(
  { hasData, isError, data, dataStart, dataEnd }: SseEvent,
  lane: string | null,
): string | null {
  if (!hasData) return null;
  const text = data.toString('utf8', dataStart, dataEnd);
  if (isError) return streamedError(parseJson(text), lane);
  return lane === null || !text.startsWith('{') ? text : `{"stream_id":"${lane}",${text.slice(1)}`;
}

/**
 * The headers of an answer, which a connection has no other place for. Named as OpenAI's own event of that
 * kind, which clients know or pass over.
 */
export function headersEvent(headers: Readonly<Record<string, string>>, lane: string | null): string {
  return JSON.stringify({ type: 'response.metadata', ...(lane !== null && { stream_id: lane }), headers });
}

/** An error in the middle of a stream has the status in its code, where the gateway tells it. */
function streamedError(event: unknown, lane: string | null): string {
  const body = isRecord(event) ? event : {};
  return errorEvent(statusIn(errorIn(body).code) ?? 500, body, lane);
}

/** Null: the code is a word. */
function statusIn(code: unknown): number | null {
  const status = typeof code === 'string' || typeof code === 'number' ? Number(code) : 0;
  return status >= 400 && status < 600 ? status : null;
}

/**
 * Some tell the error beside the type of the event, not under it:
 * https://platform.openai.com/docs/api-reference/responses-streaming/error
 */
function errorIn(body: Record<string, unknown>): Record<string, unknown> {
  return isRecord(body.error) ? body.error : { ...body, type: undefined };
}
