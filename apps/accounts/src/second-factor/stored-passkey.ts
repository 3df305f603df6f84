import type { AuthenticatorTransport } from '@simplewebauthn/server';
import type { passkey } from '@tollgate/contracts/accounts';
import type { z } from 'zod';

/** A passkey as the database holds it. */
export interface StoredPasskey {
  id: string;
  personId: string;
  credentialId: string;
  publicKey: Uint8Array;
  counter: bigint;
  transports: string[];
  name: string;
  isSynced: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** The passkey as its owner sees it. */
export function toPasskey({ id, name, isSynced, createdAt, lastUsedAt }: StoredPasskey): z.input<typeof passkey> {
  return { id, name, isSynced, createdAt: createdAt.getTime(), lastUsedAt: lastUsedAt?.getTime() ?? null };
}

/** What was parsed when it was added. */
export function toTransports({ transports }: StoredPasskey): AuthenticatorTransport[] {
  return transports as AuthenticatorTransport[];
}
