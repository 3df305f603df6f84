import { createHmac, hash, randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 30 base62 characters carry 178 random bits. */
const secretLength = 30;
const checksumLength = 6;
const keyPattern = new RegExp(
  `^[a-z][a-z0-9]{0,15}_(sk|adm)_[0-9A-Za-z]{${secretLength}}_([0-9A-Za-z]{${checksumLength}})$`,
);

/** What a secret opens: `sk` generates, `adm` administers. */
type SecretKind = 'sk' | 'adm';

/**
 * Makes a new API key `<prefix>_sk_<secret>_<checksum>`. It is shown once, and kept by its digest; an answer
 * under an idempotency key is kept sealed for a day. `prefix` is 1 to 16 of a-z and 0-9, a letter first.
 */
export function createApiKey(prefix: string): string {
  return createSecret(prefix, 'sk');
}

/** Makes a new admin token `<prefix>_adm_<secret>_<checksum>`, kept and shown as an API key is. */
export function createAdminToken(prefix: string): string {
  return createSecret(prefix, 'adm');
}

/**
 * True when the text has the form of a key and its checksum is right: a mistyped key is refused without any
 * lookup.
 */
export function isApiKey(text: string): boolean {
  return kindOf(text) === 'sk';
}

/** True when the text has the form of an admin token and its checksum is right. */
export function isAdminToken(text: string): boolean {
  return kindOf(text) === 'adm';
}

function createSecret(prefix: string, kind: SecretKind): string {
  const body = `${prefix}_${kind}_${randomBase62(secretLength)}`;
  const secret = `${body}_${checksum(body)}`;
  if (kindOf(secret) !== kind) throw new RangeError(`not a key prefix: ${JSON.stringify(prefix)}`);
  return secret;
}

/** Null: it has the form of neither, or its checksum is wrong. */
function kindOf(text: string): string | null {
  const [, kind = null, sum] = keyPattern.exec(text) ?? [];
  return sum !== undefined && checksum(text.slice(0, text.lastIndexOf('_'))) === sum ? kind : null;
}

/** What is stored of a key and looked up by: HMAC-SHA-256 under the server's pepper, in hex. */
export function apiKeyDigest(key: string, pepper: string): string {
  return createHmac('sha256', pepper).update(key).digest('hex');
}

/** No key that came over is longer. */
const importedPattern = /^sk-[\x21-\x7e]{1,125}$/;

/**
 * True for a text in the form in which keys come over from another gateway: LiteLLM takes nothing else for a
 * key, and Bifrost makes them so (`sk-bf-…`). It has no checksum.
 * https://docs.litellm.ai/docs/proxy/virtual_keys
 * https://docs.getbifrost.ai/features/governance/virtual-keys
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

/** What is shown of a key, or of an admin token, after its creation: its beginning and last four characters. */
export function apiKeyDisplay(key: string): string {
  const [prefix, kind] = key.split('_');
  return `${prefix}_${kind}_…${key.slice(-4)}`;
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
