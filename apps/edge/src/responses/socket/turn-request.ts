import { GatewayError } from '@tollgate/contracts';
import { eachPlace, parseJson } from '@tollgate/dialects/surface';
import type { Places } from '@tollgate/dialects/surface';

/**
 * The members of an event that are the connection's, not the response's.
 * https://developers.openai.com/api/docs/guides/websocket-mode
 */
export const ownMembers = ['type', 'stream_id', 'stream', 'previous_response_id', 'background'] as const;

/** Longer values of these are not read. */
const longestValue = 1_024;
const sanePattern = /^[\w.-]{1,256}$/;

/**
 * A turn that a caller asked for. `lane`: its `stream_id`, null: the one without a name. `previousId` null:
 * it goes on from nothing. `body`: what would be posted for the same.
 */
export interface TurnRequest {
  readonly lane: string | null;
  readonly previousId: string | null;
  readonly body: Buffer;
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

/** Reads an event of a caller. `places`: where its members stand, see `ownMembers`. @throws TurnRefusal */
export function readTurn(event: Buffer, places: Places): TurnRequest {
  const own: unknown[] = [];
  const kept: Uint8Array[] = [];
  for (const [start, end, which] of eachPlace(places)) {
    const isOwn = which < ownMembers.length;
    if (isOwn) own[which] = valueIn(event, start, end);
    if (!isOwn || ownMembers[which] === 'previous_response_id') kept.push(event.subarray(start, end), comma);
  }
  const [type, streamId = null, , previousId, background] = own;
  const lane = laneOf(streamId);
  if (type !== 'response.create')
    throw refused(`'type' must be 'response.create', the one event that is taken here.`, 'type', lane);
  if (background === true)
    throw refused("'background' cannot be true here: a connection waits for what is asked on it.", 'background', lane);
  return {
    lane,
    previousId: typeof previousId === 'string' ? previousId : null,
    body: Buffer.concat([opening, ...kept, closing]),
  };
}

const opening = Buffer.from('{');
const comma = Buffer.from(',');
/** Everything is told as a stream. */
const closing = Buffer.from('"stream":true}');

/** The value of a member; empty where it is too long to be one of these. */
function valueIn(event: Buffer, start: number, end: number): unknown {
  if (end - start > longestValue) return '';
  const member = parseJson(`{${event.toString('utf8', start, end)}}`);
  return typeof member === 'object' && member !== null ? Object.values(member)[0] : undefined;
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
