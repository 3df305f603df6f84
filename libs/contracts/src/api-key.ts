import { createHmac, hash, randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 30 base62 characters carry 178 random bits. */
const secretLength = 30;
const checksumLength = 6;
const keyPattern = new RegExp(
  `^([a-z][a-z0-9]{0,15})_sk_([0-9A-Za-z]{${secretLength}})_([0-9A-Za-z]{${checksumLength}})$`,
);

/**
 * Makes a new API key `<prefix>_sk_<secret>_<checksum>`. It is shown once and never stored. `prefix` is 1 to
 * 16 of a-z and 0-9, a letter first.
 */
export function createApiKey(prefix: string): string {
  const body = `${prefix}_sk_${randomBase62(secretLength)}`;
  const key = `${body}_${checksum(body)}`;
  if (!isApiKey(key)) throw new RangeError(`not a key prefix: ${JSON.stringify(prefix)}`);
  return key;
}

/**
 * True when the text has the form of a key and its checksum is right: a mistyped key is refused without any
 * lookup.
 */
export function isApiKey(text: string): boolean {
  const match = keyPattern.exec(text);
  return match !== null && checksum(text.slice(0, text.lastIndexOf('_'))) === match[3];
}

/** What is stored of a key and looked up by: HMAC-SHA-256 under the server's pepper, in hex. */
export function apiKeyDigest(key: string, pepper: string): string {
  return createHmac('sha256', pepper).update(key).digest('hex');
}

/** No key that came over is longer. */
const importedPattern = /^sk-[\x21-\x7e]{1,125}$/;

/**
 * True for a text in the form in which keys come over from another gateway: LiteLLM takes nothing else for a
 * key. It has no checksum.
 * https://docs.litellm.ai/docs/proxy/virtual_keys
 */
export function isImportedKey(text: string): boolean {
  return importedPattern.test(text);
}

/**
 * What is stored of a key that came over, and looked up by: the HMAC under the server's pepper of its SHA-256
 * (hex), which is all that the other gateway kept of it. The word in front keeps these apart from the digests
 * of keys: no text that is presented as a key has one of them.
 */
export function importedKeyDigest(sha256: string, pepper: string): string {
  return createHmac('sha256', pepper).update(`sha256 ${sha256}`).digest('hex');
}

/** The digest by which a presented key is looked up, whichever of the two forms it has. */
export function presentedKeyDigest(key: string, pepper: string): string {
  return isImportedKey(key) ? importedKeyDigest(hash('sha256', key), pepper) : apiKeyDigest(key, pepper);
}

/** What is shown of a key after its creation: its prefix and last four characters. */
export function apiKeyDisplay(key: string): string {
  return `${key.slice(0, key.indexOf('_sk_'))}_sk_…${key.slice(-4)}`;
}

function checksum(body: string): string {
  let value = Number.parseInt(hash('sha256', body).slice(0, 12), 16);
  let text = '';
  for (let i = 0; i < checksumLength; i++) {
    text += alphabet.charAt(value % 62);
    value = Math.floor(value / 62);
  }
  return text;
}

/**
 * Uniform base62 characters: bytes of 248 and above are thrown away, so that no character is likelier than
 * another.
 */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62);
  }
  return text;
}
