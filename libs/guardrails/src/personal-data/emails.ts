import type { Match } from '../match';

const localPart = /(?<![\w.%+-])[A-Za-z0-9_][\w.%+-]{0,63}$/;
const domain = /^(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])/;
/** One more than the local part can have, so that what stands before it is seen. */
const before = 65;
const after = 255;

/** E-mail addresses, looked for around each @. */
export function findEmails(text: string): Match[] {
  const found: Match[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const name = localPart.exec(text.slice(Math.max(0, at - before), at));
    const host = name && domain.exec(text.slice(at + 1, at + after));
    if (host) found.push({ start: at - name[0].length, end: at + 1 + host[0].length });
  }
  return found;
}
