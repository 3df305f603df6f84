import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hash,
  type KeyObject,
} from 'node:crypto';
import { keyUnder, openText, sealText } from './sealed-text';

/** What who seals has to know. `id` names the key that opens; `publicKey`: 32 bytes in base64url. */
interface PublicSealingKey {
  id: string;
  publicKey: string;
}

/**
 * What stands before the 32 bytes of a private key of X25519 in PKCS #8.
 * https://www.rfc-editor.org/rfc/rfc8410#section-7
 */
const pkcs8 = Buffer.from('302e020100300506032b656e04220420', 'hex');
const idDigits = 16;

/** Opens what was sealed for it. It follows from a secret, so that each who has that comes to the same. */
export class OpeningKey {
  readonly public: PublicSealingKey;
  private readonly privateKey: KeyObject;

  constructor(secret: string) {
    const key = Buffer.concat([pkcs8, keyUnder(secret, 'tollgate key of sealed boxes')]);
    this.privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    const publicKey = textOf(createPublicKey(this.privateKey));
    this.public = { id: hash('sha256', publicKey).slice(0, idDigits), publicKey };
  }

  /** True when this is the key that a text was sealed for. */
  fits(sealed: string): boolean {
    return sealed.split('.')[0] === this.public.id;
  }

  /** @throws Error when it was sealed for another key, or about something else. */
  open(sealed: string, about: string): string {
    const [, sender = '', text = ''] = sealed.split('.');
    const key = agreedKey(this.privateKey, publicKeyOf(sender), sender, this.public.publicKey);
    return openText(key, text, about);
  }
}

/**
 * Seals a text so that who has the secret behind `to` can open it, and nobody else, nor who sealed it.
 * `about` is needed to open it, and is no secret.
 * @throws Error when `to` is no key.
 */
export function sealFor(to: PublicSealingKey, text: string, about: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const sender = textOf(publicKey);
  const key = agreedKey(privateKey, publicKeyOf(to.publicKey), sender, to.publicKey);
  return [to.id, sender, sealText(key, text, about)].join('.');
}

/** Both public keys are part of it, as in HPKE (RFC 9180, section 4.1), so that neither can be exchanged. */
function agreedKey(privateKey: KeyObject, publicKey: KeyObject, sender: string, receiver: string): Buffer {
  return keyUnder(diffieHellman({ privateKey, publicKey }), `tollgate sealed box from ${sender} to ${receiver}`);
}

function textOf(key: KeyObject): string {
  return key.export({ format: 'jwk' }).x ?? '';
}

function publicKeyOf(text: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: text }, format: 'jwk' });
}
