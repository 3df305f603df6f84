import { createHash } from 'node:crypto';

/**
 * A text of at most `most` characters: a longer one is told by its digest, the same every time. `most`: at
 * least 64.
 */
export function shortName(text: string, most = 64): string {
  return text.length <= most ? text : createHash('sha256').update(text).digest('hex');
}
