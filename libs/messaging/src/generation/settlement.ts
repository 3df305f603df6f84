import type { UsageEvent } from '@tollgate/contracts';
import { generationFailure, generationFailureCodes } from '@tollgate/contracts/inference';
import type { GenerationFailure, GenerationFailureCode } from '@tollgate/contracts/inference';
import { z } from 'zod';
import { FrameError } from './frame';

/**
 * What an instance says of a stream's usage when it is done with it. `accounted`: it publishes the usage
 * event, or there is none to publish.
 * `usedTokens`: input plus output of that event; null when the instance accounts for nothing.
 */
export interface Settlement {
  accounted: boolean;
  usedTokens: number | null;
}

/**
 * The bytes of a settlement at the beginning of a payload: `[accounted u8][tokens f64]`. JSON may follow: of
 * the failure, or, where edge asked for it, of the usage event.
 */
export const settlementBytes = 9;

export function encodeSettlement({ accounted, usedTokens }: Settlement, rest?: Uint8Array): Buffer {
  const buffer = Buffer.alloc(settlementBytes + (rest?.length ?? 0));
  buffer[0] = accounted ? 1 : 0;
  buffer.writeDoubleBE(usedTokens ?? Number.NaN, 1);
  if (rest) buffer.set(rest, settlementBytes);
  return buffer;
}

/** @throws FrameError when the payload is too short. */
export function decodeSettlement(payload: Uint8Array): Settlement {
  if (payload.length < settlementBytes) throw new FrameError('a settlement is cut off');
  const tokens = new DataView(payload.buffer, payload.byteOffset).getFloat64(1);
  return { accounted: payload[0] === 1, usedTokens: Number.isNaN(tokens) ? null : tokens };
}

/**
 * An event that the instance publishes accounts for the call; where there is none, there is nothing to
 * account for.
 */
export function settlementOf(event: UsageEvent | null): Settlement {
  return { accounted: true, usedTokens: event ? event.usage.input + event.usage.output : 0 };
}

/**
 * A failure as an instance tells it. While an upgrade runs that may be one of a newer release: a code that
 * this one does not know is read as what its status means here, and details of another form are left out;
 * status, message and time to wait reach the caller as they were told.
 */
export const toldFailure = generationFailure
  .extend({ code: z.string(), details: generationFailure.shape.details.catch(undefined) })
  .transform((told): GenerationFailure => ({ ...told, code: knownCode(told.code) ?? codeOf(told.status) }));

function knownCode(text: string): GenerationFailureCode | undefined {
  return generationFailureCodes.find((code) => code === text);
}

function codeOf(status: number): GenerationFailureCode {
  return status < 500 ? 'refused' : 'upstream';
}
