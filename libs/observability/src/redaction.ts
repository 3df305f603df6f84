import { readFileSync } from 'node:fs';

const censor = '[redacted]';

/**
 * Names whose values are credentials, in any letter case: headers of callers and providers, and our own
 * settings.
 */
const secretNames =
  '(?:proxy-)?authorization|x-(?:[a-z]+-)?api-key|x-bf-vk|api[-_]?key|(?:set-)?cookie|password|passwd|secret|pepper|(?:access|refresh)_?token';
const isSecretName = new RegExp(`^(?:${secretNames})$`, 'i');
const mentionsSecretName = new RegExp(secretNames, 'i');
/**
 * A name and its value inside a sentence or a piece of JSON text, quotes escaped or not: `password=x`,
 * `"apiKey": "x"`.
 */
const namedInText = new RegExp(
  String.raw`\b((?:${secretNames})(?:\\*["'])?\s{0,9}[:=]\s{0,9}(?:\\*["'])?)[^\s"'\\,;}&]+`,
  'gi',
);

/** Credentials that are known by their shape, wherever they stand, also inside a sentence. */
const shapes: [RegExp, string][] = [
  // Ours, with the checksum; see createApiKey and createAdminToken of the contracts.
  [/\b[a-z][a-z0-9]{0,15}_(?:sk|adm)_[0-9A-Za-z]{30}_[0-9A-Za-z]{6}/g, censor],
  // RFC 6750, section 2.1: the characters of a bearer token.
  [/\b(Bearer\s+)[A-Za-z0-9\-._~+/]{8,}=*/gi, `$1${censor}`],
  // OpenAI, Anthropic and those who copied the form.
  [/\bsk-[A-Za-z0-9_-]{16,}/g, censor],
  // Google: https://docs.cloud.google.com/docs/authentication/api-keys
  [/\bAIza[0-9A-Za-z_-]{30,}/g, censor],
  // AWS access key ids.
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, censor],
  // The user part of a URL: postgres://user:password@host.
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"\\]+@/gi, `$1${censor}@`],
  // A key in a query, as some providers take it.
  [/([?&](?:key|api_?key|access_token)=)[^&\s"\\]+/gi, `$1${censor}`],
];

/** Shorter ones would censor ordinary words. */
const shortest = 8;

/** Secrets by their very values, in the order in which they are taken out. */
export class KnownSecrets {
  /** The longest first: a secret that is a part of another must not spoil the match of the whole. */
  inOrder: readonly string[] = [];

  add(secrets: readonly string[]): void {
    const told = secrets.filter((secret) => secret.length >= shortest).map(asInJson);
    if (told.every((secret) => this.inOrder.includes(secret))) return;
    this.inOrder = [...new Set([...this.inOrder, ...told])].sort((a, b) => b.length - a.length);
  }
}

/**
 * Returns a function that takes every credential out of a log line (JSON) and leaves valid JSON. Three nets,
 * since each alone leaks: the very values in `knownSecrets`, whatever their shape or place; text of a
 * credential's shape; and values under a name that means a secret, at any depth. `later`: values that become
 * known while it runs.
 */
export function redactor(knownSecrets: readonly string[], later = new KnownSecrets()): (line: string) => string {
  const known = new KnownSecrets();
  known.add(knownSecrets);
  return (line) => {
    let text = line;
    for (const secret of [...known.inOrder, ...later.inOrder])
      if (text.includes(secret)) text = text.replaceAll(secret, censor);
    for (const [shape, replacement] of shapes) text = text.replace(shape, replacement);
    return mentionsSecretName.test(text) ? `${JSON.stringify(withoutNamedSecrets(JSON.parse(text)))}\n` : text;
  };
}

function withoutNamedSecrets(value: unknown): unknown {
  if (typeof value === 'string') return withoutNamedSecretsInText(value);
  if (Array.isArray(value)) return value.map(withoutNamedSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [name, isSecretName.test(name) ? censor : withoutNamedSecrets(held)]),
  );
}

/**
 * JSON that stands as text in a field is read, so that escaped quotes inside a secret do not let its end slip
 * through.
 */
function withoutNamedSecretsInText(text: string): string {
  if (!mentionsSecretName.test(text)) return text;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object') return JSON.stringify(withoutNamedSecrets(parsed));
  } catch {
    // Not JSON: an ordinary sentence.
  }
  return text.replace(namedInText, `$1${censor}`);
}

/**
 * The values of all environment variables that are named like a secret (`…_KEY`, `…_TOKEN`, `…_PASSWORD`,
 * `…_SECRET`, `…_PEPPER`, and `…_PREVIOUS` of these), each key of a list, the passwords in addresses
 * (`…_URL`), and the same of the files that `…_FILE` variables of such names point to. Values under eight
 * characters are left out: they would censor ordinary words.
 */
export function environmentSecrets(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment)
    .flatMap(([variable, given = '']) => {
      const name = variable.replace(/_FILE$/i, '');
      const isSecret = /(KEY|TOKEN|PASSWORD|SECRET|PEPPER)(_PREVIOUS)?$/i.test(name);
      if (!isSecret && !/_URL$/i.test(name)) return [];
      const value = name === variable ? given : fileContent(given);
      return isSecret ? [value, ...partsOf(value)] : passwordsIn(value);
    })
    .filter((value) => value.length >= shortest);
}

/** The keys in a list of them; empty: it is no list. */
function partsOf(value: string): string[] {
  const parts = value.split(/[\s,]+/);
  return parts.length > 1 ? parts : [];
}

/** Those of an address, as they stand there and decoded; an address may name several servers. */
function passwordsIn(url: string): string[] {
  return [...url.matchAll(/\/\/[^\s/:@]*:([^\s/@]+)@/g)].flatMap(([, password = '']) => [password, decoded(password)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An unreadable file is no affair of the logger: whoever needs the secret reports it. */
function fileContent(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

function asInJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}
