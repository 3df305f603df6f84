import { GatewayError } from '@tollgate/contracts';
import { eachPlace, parseJson } from '@tollgate/dialects/surface';
import type { Places } from '@tollgate/dialects/surface';

/**
 * The members of an event that are the connection's, not the response's.
 * https://developers.openai.com/api/docs/guides/websocket-mode
 */
export const ownMembers = ['type', 'stream_id', 'stream', 'previous_response_id', 'background'] as const;

/** Longer ones of these are not read. */
const longestMember = 1_024;
const sanePattern = /^[\w.-]{1,256}$/;

/**
 * A turn that a caller asked for. `lane`: its `stream_id`, null: the one without a name. `previousId` null:
 * it goes on from nothing. Its body is the event itself, see `readTurn`.
 */
export interface TurnRequest {
  readonly lane: string | null;
  readonly previousId: string | null;
}

/** A refusal with the `stream_id` of the turn that it is about, where that could be read. */
export class TurnRefusal extends Error {
  constructor(
    readonly error: GatewayError,
    readonly lane: string | null = null,
  ) {
    super(error.message);
  }
}

/**
 * Reads an event of a caller, and makes of it what would be posted for the same: what is the connection's own
 * becomes space, so that nothing is copied. `places`: where its members stand, see `ownMembers`.
 * @throws TurnRefusal
 */
export function readTurn(event: Buffer, places: Places): TurnRequest {
  const own: unknown[] = [];
  for (const [start, end, which] of eachPlace(places)) {
    const name = ownMembers[which];
    if (name === undefined) continue;
    // What is blanked out is seen by nobody else.
    if (end - start > longestMember && (name === 'stream' || name === 'background'))
      throw refused(`'${name}' takes more than ${longestMember} bytes.`, name, null);
    own[which] = valueIn(event, start, end);
  }
  const [type, streamId = null, , previousId, background] = own;
  const lane = laneOf(streamId);
  if (type !== 'response.create')
    throw refused(`'type' must be 'response.create', the one event that is taken here.`, 'type', lane);
  if (background === true)
    throw refused("'background' cannot be true here: a connection waits for what is asked on it.", 'background', lane);
  blankOwn(event, [...eachPlace(places)]);
  return { lane, previousId: typeof previousId === 'string' ? previousId : null };
}

/** Everything is told as a stream. It takes the place of the type, which is longer. */
const asStream = '"stream":true';
const typeAt = ownMembers.indexOf('type');
const previousAt = ownMembers.indexOf('previous_response_id');

/** Each is left out with the comma on the side of the type: of the last one, which is the one that counts. */
function blankOwn(event: Buffer, places: readonly (readonly [start: number, end: number, which: number])[]): void {
  const type = places.findLastIndex(([, , which]) => which === typeAt);
  for (const [index, [start, end, which]] of places.entries()) {
    if (which >= ownMembers.length || which === previousAt) continue;
    const from = index > type ? (places[index - 1]?.[1] ?? start) : start;
    const to = index < type ? (places[index + 1]?.[0] ?? end) : end;
    event.fill(' ', from, to);
    if (index === type) event.write(asStream, start, 'latin1');
  }
}

/** The value of a member; empty where it is too long to be read. @throws TurnRefusal where it is no JSON. */
function valueIn(event: Buffer, start: number, end: number): unknown {
  if (end - start > longestMember) return '';
  const member = parseJson(`{${event.toString('utf8', start, end)}}`);
  if (typeof member !== 'object' || member === null)
    throw new TurnRefusal(new GatewayError(400, 'This is not valid JSON, or not one object.'));
  return Object.values(member)[0];
}

/** In OpenAI's words: https://developers.openai.com/api/docs/guides/websocket-mode */
function laneOf(streamId: unknown): string | null {
  if (streamId === null) return null;
  if (typeof streamId === 'string' && sanePattern.test(streamId)) return streamId;
  const rule = 'must be a non-empty string with at most 256 characters and may only contain';
  const message = `The 'stream_id' field ${rule} letters, numbers, underscores, hyphens, and periods.`;
  throw new TurnRefusal(new GatewayError(400, message).because('invalid_stream_id', { param: 'stream_id' }));
}

function refused(message: string, param: string, lane: string | null): TurnRefusal {
  return new TurnRefusal(new GatewayError(400, message).withDetails({ param }), lane);
}
