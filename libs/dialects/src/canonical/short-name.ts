import { createHash } from 'node:crypto';

/**
 * A text of at most `most` characters: a longer one is told by its digest, the same every time. `most`: at
 * least 32, so that digests stay apart.
 */
export function shortName(text: string, most = 64): string {
  return text.length <= most ? text : createHash('sha256').update(text).digest('hex').slice(0, most);
}
