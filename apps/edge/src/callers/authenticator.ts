import { LruMap } from '@tollgate/messaging';
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError, isAdminToken, isApiKey, isImportedKey, presentedKeyDigest } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import type { Owner } from '@tollgate/messaging';
import { Clock } from '../clock';
import { KeyDirectory } from './key-directory';

/** No key is longer: more is not worth a hash. */
const longestKey = 128;
/** Keys whose digest is remembered. */
const rememberedDigests = 10_000;

/** Who is calling: an active key of an active account, and the digest that the key directory knows it by. */
export interface Caller {
  readonly key: CallerKey;
  readonly digest: string;
}

/**
 * The one place that decides whether a key may come in: the passport strategy and the hot path both ask here.
 */
export class Authenticator {
  /**
   * The digests of keys that were let in, by what a plain SHA-256 makes of the key: a sixth of the time of
   * its HMAC. No key is kept in memory for it, and whoever finds its digest here is still looked up: a
   * revoked key is refused all the same.
   */
  private readonly digests = new LruMap<string>(rememberedDigests);

  constructor(
    private readonly directory: KeyDirectory,
    /** The one of today, then former ones. */
    private readonly peppers: readonly [string, ...string[]],
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the caller of a presented key; null means that none was presented. Immediate for keys that are
   * known.
   * @throws GatewayError 401 for a key that is missing, wrong, revoked or expired; 403 where the account may
   * not generate; 503 where nobody can say.
   */
  verify(presented: string | null): Caller | Promise<Caller> {
    if (presented === null) throw missingKey();
    if (presented.length > longestKey) throw invalidKey();
    const name = hash('sha256', presented, 'base64');
    const remembered = this.digests.get(name);
    const digest = remembered ?? this.digestOf(presented);
    const found = this.find(digest, () => this.peppers.slice(1).map((former) => presentedKeyDigest(presented, former)));
    // Only those of callers: guessed keys must not take the places of real ones.
    if (remembered === undefined && !(found instanceof Promise)) this.digests.set(name, digest);
    return found;
  }

  /** @throws GatewayError 401 for what is no key. */
  private digestOf(presented: string): string {
    // The digest is taken before the checksum is looked at, so that a mistyped key is refused no faster than
    // by its own hash.
    const digest = presentedKeyDigest(presented, this.peppers[0]);
    // A key that came over has no checksum. Where none did, nobody is asked for one.
    if (!isApiKey(presented) && !(this.directory.hasImportedKeys && isImportedKey(presented)))
      throw isAdminToken(presented) ? adminTokenInstead() : invalidKey();
    return digest;
  }

  /**
   * Finds the caller whose key has this digest, or had one of the former ones.
   * @throws GatewayError as `verify`.
   */
  find(digest: string, formerDigests?: () => readonly string[]): Caller | Promise<Caller> {
    const found = this.directory.find(digest, formerDigests);
    return found instanceof Promise ? found.then((key) => this.admit(key, digest)) : this.admit(found, digest);
  }

  private admit(key: CallerKey | null, digest: string): Caller {
    if (!key) throw invalidKey();
    if (key.keyStatus === 'revoked')
      throw new GatewayError(401, 'This API key has been revoked: use another, or create a new one.');
    if (key.expiresAt !== null && key.expiresAt <= this.clock.nowMs())
      throw new GatewayError(401, 'This API key has expired: use another, or create a new one.');
    if (key.accountStatus !== 'active') throw new GatewayError(403, accountTexts[key.accountStatus]);
    return { key, digest };
  }
}

/**
 * True while the key itself and its account allow generations; expiry aside, which does not end what already
 * runs.
 */
export function mayGenerate(key: CallerKey): boolean {
  return key.keyStatus === 'active' && key.accountStatus === 'active';
}

const accountTexts = {
  pending: 'Your access request is still waiting for approval; this key works as soon as it is approved.',
  suspended: 'Your account is suspended; please contact the operator of this gateway.',
  declined: 'Your access request was declined; please contact the operator of this gateway.',
} as const;

/** The answer to a request without a key, or with one in a form that no key has. */
export function missingKey(): GatewayError {
  return new GatewayError(401, 'No API key was given: send it in the header Authorization: Bearer <key>.');
}

function adminTokenInstead(): GatewayError {
  return new GatewayError(401, 'This is an admin token, which opens /api/admin/v1 alone: send an API key here.');
}

function invalidKey(): GatewayError {
  return new GatewayError(401, 'This API key is not valid: check that it was copied in full.');
}

/** Whose memory and turns those of a key are. */
export function ownerOf({ id, accountId }: Pick<CallerKey, 'id' | 'accountId'>): Owner {
  return { keyId: id, accountId };
}

/**
 * In which headers clients of other gateways send its key beside an `Authorization` that holds a provider's,
 * or nothing of use; there, too, they go before it.
 * LiteLLM: https://docs.litellm.ai/docs/tutorials/claude_code_byok
 * Bifrost: https://docs.getbifrost.ai/features/governance/virtual-keys
 * Portkey: https://github.com/Portkey-AI/docs/blob/v2/api-reference/headers.md
 */
const foreignHeaders = ['x-litellm-api-key', 'x-bf-vk', 'x-portkey-api-key'] as const;

/** Headers in which callers send a key, in lower case. */
export const keyHeaders: readonly string[] = ['authorization', 'x-api-key', ...foreignHeaders];

/**
 * The key that a request carries: `Authorization: Bearer <key>`, or `x-api-key` where no Authorization is
 * sent (clients of the messages format).
 * A header of another gateway's clients counts before both where what it holds has the form of a key here.
 * Never from a query or a body, which end up in logs and histories. Null: none, or one that no key can look
 * like.
 */
export function presentedKey(headers: IncomingHttpHeaders): string | null {
  for (const name of foreignHeaders) {
    const said = headers[name];
    const key = typeof said === 'string' ? said.replace(/^bearer +/i, '') : '';
    if (key !== '' && (isApiKey(key) || isImportedKey(key))) return key;
  }
  const { authorization } = headers;
  if (authorization !== undefined) return /^bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? null;
  const apiKey = headers['x-api-key'];
  return typeof apiKey === 'string' && /^\S+$/.test(apiKey) ? apiKey : null;
}
