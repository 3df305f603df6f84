import { generationFailure, generationFailureCodes } from '@tollgate/contracts';
import type { GenerationFailure, GenerationFailureCode } from '@tollgate/contracts';
import { z } from 'zod';

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
