import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { headers } from 'nats';
import type { Msg, MsgHdrs } from 'nats';
import { MsgHdrsImpl } from 'nats/lib/nats-base-client/internal_mod';

/**
 * Whoever asks sends a key along, and answers are sealed with it: every edge has the same user in NATS, so
 * each may hear what the others are answered; what they ask, and the keys with it, only the service hears
 * that serves it.
 */
const header = 'Tollgate-Seal';
/** What a sealed reply says beside it; frames say so themselves. */
const sealedHeader = 'Tollgate-Sealed';
const algorithm = 'aes-256-gcm';
const keyBytes = 32;
/**
 * A nonce begins at random, and its second half counts: it must never come twice with one key, whether one
 * sealer seals often or many seal once.
 * https://nvlpubs.nist.gov/nistpubs/Legacy/SP/nistspecialpublication800-38d.pdf (8.2.2, 8.3)
 */
const ownBytes = 6;
const countBytes = 6;
const nonceBytes = ownBytes + countBytes;
const tagBytes = 16;

/** What a key adds to a question, at most: NATS counts it into the largest message. */
export const answerKeyBytes = 128;

/** By so many bytes what is sealed is longer. */
export const sealBytes = nonceBytes + tagBytes;

/** Seals what goes to one who asked. */
export class Sealer {
  private readonly nonce = randomBytes(nonceBytes);
  private readonly key: KeyObject;
  private count = this.nonce.readUIntBE(ownBytes, countBytes);

  /** `key` as `sealerFor` reads it. */
  constructor(key: Uint8Array) {
    this.key = createSecretKey(key);
  }

  /** `open` is not sealed, and must be the same where it is opened. */
  seal(bytes: Uint8Array, open?: Uint8Array): Buffer {
    this.count = (this.count + 1) % 2 ** (8 * countBytes);
    this.nonce.writeUIntBE(this.count, ownBytes, countBytes);
    const cipher = createCipheriv(algorithm, this.key, this.nonce);
    if (open) cipher.setAAD(open);
    return Buffer.concat([this.nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

/** What is the same with each message, and not changed: the client library writes headers anew for each. */
class SameHeaders extends MsgHdrsImpl {
  private written: Uint8Array | null = null;

  override encode(): Uint8Array {
    return (this.written ??= super.encode());
  }
}

/** The key of one who asks, for as long as its process lives. */
export class AnswerKey {
  /** To be sent with what is asked. */
  readonly headers: MsgHdrs = new SameHeaders();
  /** Of whoever has it. It follows from the key, so that nobody else can send another key in this name. */
  readonly id: string;
  private readonly key: KeyObject;

  constructor() {
    const key = randomBytes(keyBytes);
    this.key = createSecretKey(key);
    this.id = idOf(key);
    this.headers.set(header, key.toString('base64url'));
  }

  /** @throws Error when it was not sealed with this key, or is damaged. */
  unseal(sealed: Uint8Array, open?: Uint8Array): Buffer {
    const end = sealed.length - tagBytes;
    if (end < nonceBytes) throw new RangeError('too short to be sealed');
    const decipher = createDecipheriv(algorithm, this.key, sealed.subarray(0, nonceBytes));
    decipher.setAuthTag(sealed.subarray(end));
    if (open) decipher.setAAD(open);
    const bytes = decipher.update(sealed.subarray(nonceBytes, end));
    // In this mode nothing is left for it to give: it says whether the bytes are what was sealed.
    decipher.final();
    return bytes;
  }
}

/**
 * What seals the answers to this question; null: who asks is of an older release, or the key is not that of
 * the `id` in whose name it came.
 */
export function sealerFor(question: Pick<Msg, 'headers'>, id?: string): Sealer | null {
  const key = Buffer.from(question.headers?.get(header) ?? '', 'base64url');
  return key.length === keyBytes && (id === undefined || id === idOf(key)) ? new Sealer(key) : null;
}

function idOf(key: Uint8Array): string {
  return createHash('sha256').update(key).digest().toString('base64url', 0, 16);
}

/** Answers a question, sealed where it brought a key. */
export function respondSealed(question: Pick<Msg, 'headers' | 'respond'>, reply: string | Uint8Array): boolean {
  const sealer = sealerFor(question);
  if (!sealer) return question.respond(reply);
  const told = headers();
  told.set(sealedHeader, algorithm);
  return question.respond(sealer.seal(Buffer.from(reply)), { headers: told });
}

/** Whether a reply is to be unsealed. */
export function isSealed(reply: Pick<Msg, 'headers'>): boolean {
  return reply.headers?.get(sealedHeader) === algorithm;
}
