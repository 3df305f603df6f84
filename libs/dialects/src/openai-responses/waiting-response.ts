import { isRecord } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';
import { inputAt } from './kept-conversation';
import { responseObject } from './response-object';

/** What a response in the background is until something has come of it. `body`: the request; its input, which a response does not repeat, is not parsed. */
export function waitingResponse(
  body: Uint8Array,
  head: { id: string; model: string; createdAtS: number },
): Record<string, unknown> {
  const at = inputAt(body);
  const short = at
    ? Buffer.concat([body.subarray(0, at.start), Buffer.from('null'), body.subarray(at.end)])
    : Buffer.from(body);
  const asked = parseRequestJson(short);
  const context = { body: isRecord(asked) ? asked : {}, model: head.model };
  const response = responseObject(context, head, { status: 'queued', reason: null }, [], null);
  return { ...response, background: true };
}
