import { z } from 'zod';

/** A field or section that is known and stands elsewhere. */
export const elsewhere = (where: string) =>
  z.custom<undefined>((said) => said === undefined, { error: where }).optional();
