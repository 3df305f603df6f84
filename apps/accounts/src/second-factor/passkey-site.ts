import { isIP } from 'node:net';

/** Whom passkeys are made for: `id` is the name that they are bound to, `origin` the address of the pages. */
export interface PasskeySite {
  id: string;
  origin: string;
}

/**
 * Where people have passkeys, by the address at which they find the dashboard. Null: nowhere, since browsers
 * want https, or this very machine, and a name in the place of an address of the network:
 * https://www.w3.org/TR/webauthn-3/#relying-party-identifier.
 */
export function passkeySite(publicUrl: string): PasskeySite | null {
  const { protocol, hostname, origin } = new URL(publicUrl);
  const isHere = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[');
  return (protocol === 'https:' || isHere) && !isAddress ? { id: hostname, origin } : null;
}
