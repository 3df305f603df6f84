import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nameBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = nameBytes + nonceBytes;
/** How much longer a sealed part is, bytes. */
export const sealBytes = headBytes + tagBytes;

/** Where a part lies. It is sealed with its text, so that it opens nowhere else. */
export interface PartPlace {
  readonly accountId: string;
  readonly id: string;
  readonly part: number;
  readonly parts: number;
}

/**
 * Encrypts what is kept of responses, before it leaves an edge, with a key for each account that follows from
 * the pepper. Of a sealed part the first four bytes name the pepper, so that what was kept under a former one
 * still opens.
 */
export class TurnCipher {
  private readonly peppers: { name: Buffer; pepper: string }[];

  /** The first pepper seals; all of them open. */
  constructor(peppers: readonly [string, ...string[]]) {
    this.peppers = peppers.map((pepper) => ({ name: nameOf(pepper), pepper }));
  }

  seal(bytes: Uint8Array, place: PartPlace): Buffer {
    const [current] = this.peppers;
    if (!current) throw new TypeError('there is no pepper');
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, keyOf(current.pepper, place), nonce).setAAD(boundTo(place));
    return Buffer.concat([current.name, nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }

  /** Null: it was sealed elsewhere, under another pepper, or changed since. */
  open(sealed: Buffer, place: PartPlace): Buffer | null {
    const known = this.peppers.find(({ name }) => name.equals(sealed.subarray(0, nameBytes)));
    if (!known || sealed.length < sealBytes) return null;
    const nonce = sealed.subarray(nameBytes, headBytes);
    const decipher = createDecipheriv(algorithm, keyOf(known.pepper, place), nonce, { authTagLength: tagBytes })
      .setAAD(boundTo(place))
      .setAuthTag(sealed.subarray(-tagBytes));
    try {
      const opened = decipher.update(sealed.subarray(headBytes, -tagBytes));
      // Nothing is left for the end in this mode, but to see whether it is what was sealed.
      decipher.final();
      return opened;
    } catch {
      return null;
    }
  }
}

function nameOf(pepper: string): Buffer {
  return createHash('sha256').update(`tollgate stored responses, name of ${pepper}`).digest().subarray(0, nameBytes);
}

function keyOf(pepper: string, { accountId }: PartPlace): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, '', `tollgate stored responses of ${accountId}`, 32));
}

function boundTo({ accountId, id, part, parts }: PartPlace): Buffer {
  return Buffer.from(JSON.stringify([accountId, id, part, parts]));
}
