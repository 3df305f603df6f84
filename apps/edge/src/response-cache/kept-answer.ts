import type { GenerationHead } from '@tollgate/contracts/inference';
import { randomBytes } from 'node:crypto';

/**
 * An answer that can be given again. `pieces` are its bytes, cut around every place of its id; `id` null: it
 * has none that may change.
 */
export interface KeptAnswer {
  readonly head: GenerationHead;
  readonly id: string | null;
  readonly pieces: readonly Buffer[];
  readonly bytes: number;
}

/** A shorter id could be a word of the answer. */
const shortestId = 8;

/**
 * Keeps a whole answer. `answerId` tells its id from its first JSON value. Ids become new ones when it is
 * given again: clients put answers of one id in each other's place (LangGraph's messages do).
 */
export function keepAnswer(
  head: GenerationHead,
  bytes: Buffer,
  isStream: boolean,
  answerId: (first: unknown) => string | null,
): KeptAnswer {
  const id = answerId(firstValue(bytes, isStream));
  if (id === null || !/^[\w.:-]+$/.test(id) || id.length < shortestId)
    return { head, id: null, pieces: [bytes], bytes: bytes.length };
  return { head, id, pieces: cut(bytes, JSON.stringify(id)), bytes: bytes.length };
}

/** The bytes of the answer, with a new id of the form and length of the old. */
export function givenAgain({ id, pieces }: KeptAnswer): Buffer {
  const name = Buffer.from(JSON.stringify(id === null ? '' : newIdLike(id)));
  return Buffer.concat(pieces.flatMap((piece, index) => (index === 0 ? [piece] : [name, piece])));
}

/** Cuts at the id as a whole JSON text: inside of another text its quotes would be escaped. */
function cut(bytes: Buffer, name: string): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, from)) {
    pieces.push(bytes.subarray(from, at));
    from = at + name.length;
  }
  return [...pieces, bytes.subarray(from)];
}

/** What stands before the last separator says what the id is of (`chatcmpl-`, `msg_`, `resp_`). */
function newIdLike(id: string): string {
  const prefix = /^[A-Za-z]+[-_]/.exec(id)?.[0] ?? '';
  const length = id.length - prefix.length;
  return prefix + randomBytes(length).toString('hex').slice(0, length);
}

function firstValue(bytes: Buffer, isStream: boolean): unknown {
  const text = isStream ? /^data: ?(.+)$/m.exec(bytes.toString('utf8', 0, 65_536))?.[1] : bytes.toString('utf8');
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}
