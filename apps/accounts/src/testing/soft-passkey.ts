import type { NewPasskey, PasskeyAnswer } from '@tollgate/contracts/accounts';
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What a browser and its authenticator say; a spec changes what it wants to be wrong. */
interface Said {
  challenge: string;
  origin: string;
  rpId: string;
  counter: number;
  isVerified: boolean;
  userHandle: string | undefined;
}

const usual = { origin: 'https://tollgate.example', rpId: 'tollgate.example', isVerified: true };

/**
 * A passkey in memory, with the browser that asks it: a P-256 key that is attested by nobody.
 * https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data
 */
export class SoftPasskey {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private readonly id = randomBytes(32);
  private counter = 0;

  /** What `credentials.create` gives. */
  make(challenge: string, changes: Partial<Said> = {}): NewPasskey {
    const said = { ...usual, challenge, counter: 0, userHandle: undefined, ...changes };
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, this.coseKey()]);
    const data = Buffer.concat([authenticatorData(said, 0x40), attested]);
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex'),
      Buffer.from([data.length >> 8, data.length & 0xff]),
      data,
    ]);
    const response = { attestationObject: attestation.toString('base64url'), transports: ['internal' as const] };
    return { ...this.named(), response: { ...response, clientDataJSON: toText(clientData('webauthn.create', said)) } };
  }

  /** What `credentials.get` gives. It counts its signatures, unless told what to say. */
  answer(challenge: string, changes: Partial<Said> = {}): PasskeyAnswer {
    const said = { ...usual, challenge, counter: ++this.counter, userHandle: undefined, ...changes };
    const client = clientData('webauthn.get', said);
    const data = authenticatorData(said, 0);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.keys.privateKey);
    const { userHandle } = said;
    return {
      ...this.named(),
      response: {
        ...{ clientDataJSON: toText(client), authenticatorData: toText(data), signature: toText(signature) },
        ...(userHandle !== undefined && { userHandle }),
      },
    };
  }

  private named() {
    const id = toText(this.id);
    return { id, rawId: id, type: 'public-key' as const };
  }

  /** EC2, ES256: https://www.rfc-editor.org/rfc/rfc9053#section-7.1.1. */
  private coseKey(): Buffer {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const head = Buffer.from('a5010203262001215820', 'hex');
    return Buffer.concat([
      head,
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
  }
}

const toText = (bytes: Buffer) => bytes.toString('base64url');
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

function clientData(type: string, { challenge, origin }: Said): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

/** Present, and verified where it says so. */
function authenticatorData({ rpId, counter, isVerified }: Said, more: number): Buffer {
  const rest = Buffer.alloc(5);
  rest.writeUInt8(0x01 | (isVerified ? 0x04 : 0) | more);
  rest.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(rpId), rest]);
}
