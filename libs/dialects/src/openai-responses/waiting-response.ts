import { noUsage } from '@tollgate/contracts';
import type { TokenUsage } from '@tollgate/contracts';
import { isRecord } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';
import { inputAt } from './kept-conversation';
import { responseObject } from './response-object';
import type { ResponseState } from './response-object';

/** What is known of a response that nothing was generated for. */
interface ResponseHead {
  readonly id: string;
  readonly model: string;
  readonly createdAtS: number;
}

/** What a response in the background is until something has come of it. `body`: the request. */
export function waitingResponse(body: Uint8Array, head: ResponseHead): Record<string, unknown> {
  return { ...emptyResponse(body, head, 'queued', null), background: true };
}

/**
 * The response to a request that only prepares the next one.
 * https://developers.openai.com/api/docs/guides/websocket-mode
 */
export function warmedResponse(
  body: Uint8Array,
  head: ResponseHead,
  status: 'in_progress' | 'completed',
): Record<string, unknown> {
  return emptyResponse(body, head, status, status === 'completed' ? noUsage : null);
}

/** The request's input, which a response does not repeat, is not parsed. */
function emptyResponse(
  body: Uint8Array,
  head: ResponseHead,
  status: ResponseState['status'],
  usage: TokenUsage | null,
): Record<string, unknown> {
  const at = inputAt(body);
  const short = at
    ? Buffer.concat([body.subarray(0, at.start), Buffer.from('null'), body.subarray(at.end)])
    : Buffer.from(body);
  const asked = parseRequestJson(short);
  const context = { body: isRecord(asked) ? asked : {}, model: head.model };
  return responseObject(context, head, { status, reason: null }, [], usage);
}
