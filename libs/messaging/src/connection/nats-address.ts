import { usernamePasswordAuthenticator } from 'nats';
import type { ConnectionOptions } from 'nats';
import { readFileSync } from 'node:fs';
import { inboxPrefixOf } from '../permissions/nats-users';

/**
 * Where NATS is and as whom to connect. `url` may name several servers with commas between, and hold
 * `user:password@`. `ca`: certificates (PEM) that sign the server's; with them only TLS is spoken.
 * `passwordFile`: holds the password as it is by now, whatever `url` says.
 */
export interface NatsAddress {
  url: string;
  ca?: string | undefined;
  passwordFile?: string | undefined;
}

/** The variables of a service that speaks to NATS. */
export interface NatsVariables {
  NATS_URL: string;
  NATS_USER?: string | undefined;
  NATS_PASSWORD?: string | undefined;
  NATS_PASSWORD_FILE?: string | undefined;
  NATS_CA?: string | undefined;
}

/** A name that may stand in a subject: only then replies go to inboxes of the user's own. */
const plainName = /^[A-Za-z0-9_-]+$/;

/** Brings NATS_USER and NATS_PASSWORD into the address; they win over those of NATS_URL. */
export function natsAddress({
  NATS_URL: url,
  NATS_USER: user,
  NATS_PASSWORD: password,
  NATS_PASSWORD_FILE: passwordFile,
  NATS_CA: ca,
}: NatsVariables): NatsAddress {
  if (user === undefined) return { url, ca };
  return { url: withCredentials(url, user, password ?? ''), ca, passwordFile };
}

/** The address with this user's name and password in its first server. */
export function withCredentials(url: string, user: string, password: string): string {
  const [first = '', ...others] = url.split(',');
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  return [
    first.replace(/^([a-z]+:\/\/)?([^/@]*@)?/, (_, scheme = 'nats://') => `${scheme}${credentials}`),
    ...others,
  ].join(',');
}

/** For messages: no names and passwords. */
export function withoutCredentials(url: string): string {
  return url.replace(/[^/,@]*@/g, '');
}

/** What the client library needs of an address: it does not read credentials from one. */
export function addressOptions({ url, ca, passwordFile }: NatsAddress): ConnectionOptions {
  return {
    servers: withoutCredentials(url).split(','),
    ...credentialOptions(url, passwordFile),
    ...(ca ? { tls: { ca } } : {}),
    ...(!ca && url.startsWith('tls://') ? { tls: {} } : {}),
  };
}

/** A name without a password is a token, as in NATS's own tools. */
function credentialOptions(url: string, passwordFile: string | undefined): ConnectionOptions {
  const [, name, password] = /^(?:[a-z]+:\/\/)?([^/:@,]+)(?::([^/@,]*))?@/.exec(url) ?? [];
  if (name === undefined) return {};
  if (password === undefined) return { token: decodeURIComponent(name) };
  const user = decodeURIComponent(name);
  const inbox = plainName.test(user) ? { inboxPrefix: inboxPrefixOf(user) } : {};
  const pass = decodeURIComponent(password);
  return passwordFile === undefined
    ? { user, pass, ...inbox }
    : { authenticator: usernamePasswordAuthenticator(user, () => readPassword(passwordFile) ?? pass), ...inbox };
}

/** Null while the file cannot be read or is empty, as it is for a moment where a new password is written. */
function readPassword(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch {
    return null;
  }
}
