import { GatewayError, noUsage } from '@tollgate/contracts';
import type { TokenUsage } from '@tollgate/contracts';
import { isRecord } from '../wire/json-value';
import { holdsMoreValues, parseRequestJson } from '../wire/request-json';
import { inputAt } from './kept-conversation';
import { responseObject } from './response-object';
import type { ResponseState } from './response-object';

/**
 * What is repeated of a request here is parsed and written several times where others wait: so many bytes and
 * values beside the input.
 */
const mostBytes = 524_288;
const mostValues = 16_384;

/** What is known of a response that nothing was generated for. */
interface ResponseHead {
  readonly id: string;
  readonly model: string;
  readonly createdAtS: number;
}

/**
 * What a response in the background is until something has come of it. `body`: the request.
 * @throws GatewayError 400 for one that has too much beside its input.
 */
export function waitingResponse(body: Uint8Array, head: ResponseHead): Record<string, unknown> {
  return { ...emptyResponse(body, head, 'queued', null), background: true };
}

/**
 * The events of a response that only prepares the next one, as a stream. `body`: the request.
 * https://developers.openai.com/api/docs/guides/websocket-mode
 * @throws GatewayError 400 for one that has too much beside its input.
 */
export function warmedEvents(body: Uint8Array, head: ResponseHead): string {
  const events = [
    { type: 'response.created', response: emptyResponse(body, head, 'in_progress', null) },
    { type: 'response.completed', response: emptyResponse(body, head, 'completed', noUsage) },
  ];
  return events
    .map(({ type, response }, number) => {
      const data = JSON.stringify({ type, sequence_number: number, response });
      return `event: ${type}\ndata: ${data}\n\n`;
    })
    .join('');
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
  if (short.length > mostBytes || holdsMoreValues(short, mostValues)) throw tooMuchBeside();
  const asked = parseRequestJson(short);
  const context = { body: isRecord(asked) ? asked : {}, model: head.model };
  return responseObject(context, head, { status, reason: null }, [], usage);
}

function tooMuchBeside(): GatewayError {
  return new GatewayError(
    400,
    `A request in the background, or one that only prepares the next, may have beside its 'input' at most ${mostBytes} bytes and ${mostValues} values.`,
  );
}
