import { z } from 'zod';

/**
 * Why a control operation (accounts, catalog, metering) was refused. `outdated`: it was made from a state
 * that is none any more; `unavailable`: nobody answered in time.
 */
export const controlErrorCodes = [
  'invalid',
  'not_found',
  'conflict',
  'outdated',
  'forbidden',
  'unavailable',
  'internal',
] as const;
export type ControlErrorCode = (typeof controlErrorCodes)[number];

/** What a service sends instead of a reply. */
export const controlErrorBody = z.object({ code: z.enum(controlErrorCodes), message: z.string() });

/** A refused control operation; `message` is plain text fit for an operator's eyes. */
export class ControlError extends Error {
  constructor(
    readonly code: ControlErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'ControlError';
  }
}
