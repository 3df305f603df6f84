import { ControlError, GatewayError } from '@tollgate/contracts';
import type { MessagingLink } from '../messaging-link';
import { sealBytes } from './turn-cipher';

/**
 * No message needs to be larger, whatever NATS takes: edge and metering each copy, seal and parse one in a
 * turn of the event loop, and one of 8 MiB kept everybody else waiting for some 100 ms.
 */
const mostMessageBytes = 1_048_576;
/** So many parts fit into a message, so that little of it stays empty. */
const partsPerMessage = 2;
const defaultMessageBytes = 1_048_576;
/** What a message has around its content, which is in Base64; ids of items are most of it. */
const envelopeBytes = 65_536;
/** What a message has around each part of an item. */
export const partEnvelopeBytes = 512;
const base64Factor = 4 / 3;
const retryS = 2;

/** Sealed bytes that a message to or from metering has room for. */
export function roomBytes({ connection }: MessagingLink): number {
  const message = Math.min(connection.info?.max_payload ?? defaultMessageBytes, mostMessageBytes);
  return Math.floor((message - Math.min(envelopeBytes, message / 4)) / base64Factor);
}

/** Bytes of a part before they are sealed. */
export function partBytes(link: MessagingLink): number {
  const sealed = Math.floor(roomBytes(link) / partsPerMessage) - partEnvelopeBytes;
  // Base64 is of three bytes each.
  return sealed - (sealed % 3) - sealBytes;
}

/**
 * What metering answers of something kept. Null: nobody of this account has it.
 * @throws GatewayError 503 while it cannot be asked.
 */
export async function keptAnswer<Reply>(call: () => Promise<Reply>): Promise<Reply | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ControlError && error.code === 'not_found') return null;
    if (!(error instanceof ControlError) || error.code !== 'unavailable') throw error;
    throw new GatewayError(
      503,
      'Stored responses and conversations cannot be read at the moment; requests that bring their whole conversation are served. Try again shortly.',
      retryS,
    );
  }
}
