import { z } from 'zod';
import { operation } from '../operation';
import { text } from '../text';

/**
 * An edge has the work on a response in the background for so long, milliseconds, and as long again each time
 * it says so.
 */
export const backgroundLeaseMs = 20_000;
/**
 * A response is begun at most so many times: one that ends every edge that works on it must not end the next
 * ones too.
 */
export const mostBackgroundMakings = 3;
/** Each making has events of its own, and so has the end that says that there are no more makings. */
export const mostBackgroundLogs = mostBackgroundMakings + 1;

const id = text(256).min(1);

/** Whose it is. Never taken from a caller: edge fills it in by who asks. */
const owned = { accountId: id, id };

/**
 * The work on one response. `eventId`: of its one usage event, however often it is made. `bornAt`: of the
 * turn that stands for it until it is there, epoch milliseconds.
 */
const work = z.object({ ...owned, keyId: id, eventId: id, bornAt: z.number().int() });
export type BackgroundWorkRecord = z.infer<typeof work>;

/** `makings`: how often it was begun, this time included. `isCancelled`: its caller wants no more of it. */
const takenWork = work.extend({ makings: z.number().int().positive(), isCancelled: z.boolean() });
export type TakenWork = z.infer<typeof takenWork>;

/**
 * The id under which the request of a response in the background is kept. No caller can name it, since ids of
 * responses have no such sign.
 */
export function backgroundRequestId(responseId: string): string {
  return `${responseId}/request`;
}

/**
 * The id under which a response in the background is kept as it stands until something has come of it: what
 * it is made from does not stand there, as who asks how it stands does so again and again.
 */
export function backgroundStandingId(responseId: string): string {
  return `${responseId}/standing`;
}

/** What is kept for a response in the background beside itself, until it is finished. */
export function backgroundPartIds(responseId: string): string[] {
  return [backgroundRequestId(responseId), backgroundStandingId(responseId)];
}

/**
 * The id under which a piece of the events of a response in the background is kept, as `backgroundRequestId`.
 * Makings count from 1, pieces from 0.
 */
export function backgroundEventsId(responseId: string, making: number, piece: number): string {
  return `${responseId}/events/${making}/${piece}`;
}

/**
 * Responses that are made while nobody waits: which edge works on which, by leases of `backgroundLeaseMs`.
 * Metering keeps them until they are finished; what belongs to another account is `not_found`.
 */
export const backgroundOperations = {
  /** The edge `holder` begins. */
  begin: operation('metering.background.begin', work.extend({ holder: id }), z.object({})),
  /**
   * Has these for longer. Those that are not among the answered ones were lost to another edge, or removed.
   */
  renew: operation(
    'metering.background.renew',
    z.object({ holder: id, works: z.array(z.object(owned)).max(10_000) }),
    z.object({ works: z.array(z.object({ ...owned, isCancelled: z.boolean() })) }),
  ),
  /** Gives work that nobody has any more to `holder`, the oldest first. */
  take: operation(
    'metering.background.take',
    z.object({ holder: id, most: z.number().int().positive().max(100) }),
    z.object({ works: z.array(takenWork) }),
  ),
  /** How it stands with one that is not finished. `isHeld`: an edge works on it. */
  find: operation(
    'metering.background.find',
    z.object(owned),
    z.object({ isHeld: z.boolean(), isCancelled: z.boolean() }),
  ),
  /** Says to whoever works on it that its caller wants no more of it. */
  cancel: operation('metering.background.cancel', z.object(owned), z.object({})),
  /** Gives it to whoever asks next. */
  release: operation('metering.background.release', z.object({ ...owned, holder: id }), z.object({})),
  /** It is kept in its last form: its request, and what stood for it until now, go: `backgroundPartIds`. */
  finish: operation('metering.background.finish', z.object({ ...owned, holder: id }), z.object({})),
};
