import { isDeepStrictEqual } from 'node:util';
import { takersOfOwnKeys } from '@tollgate/contracts/accounts';
import { isSimulated, type ProviderDefinition } from '@tollgate/contracts/catalog';
import { outgoingAddress } from '@tollgate/service';
import { privateHostsVariable } from '../upstream/internet-only';
import type { Credential, ProviderAccess } from './credential';
import type { EnvironmentSecrets } from './environment-secrets';
import { KeyRing } from './key-ring';

/**
 * How to reach providers: with their credentials, or in the sandbox without any. Holds secrets: never log
 * one.
 */
export interface CredentialSet {
  /** True when the sandbox answers in place of the built-in providers. */
  readonly sandbox: boolean;
  /** By provider id. A provider that is missing here cannot be used. */
  readonly access: ReadonlyMap<string, ProviderAccess>;
  /** Those of the rest that can be asked with keys of accounts, by provider id. */
  readonly ownKeysOnly: ReadonlyMap<string, ProviderAccess>;
  /**
   * Why a provider cannot be used although it has a credential, or accounts may bring one: sentences for the
   * operator, without secrets.
   */
  readonly problems: readonly string[];
  /** Why a provider cannot be used that was set, or given keys, without the environment, by its id. */
  readonly faults: ReadonlyMap<string, string>;
}

/**
 * Reads what providers need from the environment, by the names that the catalog gives, and opens keys that
 * were given without it. `privateHosts`: hosts to which a provider may lead that is set without it, though
 * they are private.
 */
export class ProviderCredentials {
  constructor(
    private readonly mode: 'auto' | 'on' | 'off',
    private readonly sandboxKnown: boolean,
    private readonly secrets: EnvironmentSecrets,
    private readonly ring = new KeyRing([]),
    private readonly privateHosts: readonly string[] = [],
  ) {}

  /** Reads anew, so that a secret file that was replaced takes effect. */
  read(providers: readonly ProviderDefinition[]): CredentialSet {
    const credentials = new Map(providers.map((provider) => [provider, this.credentialOf(provider)]));
    const sandbox = this.simulate(credentials);
    const access = new Map<string, ProviderAccess>();
    const problems: string[] = [];
    const faults = new Map<string, string>();
    for (const [provider, credential] of credentials) {
      if (isSimulated(provider, { sandbox })) access.set(provider.id, simulated(provider));
      else if (credential instanceof Fault) {
        if (credential.says !== null) faults.set(provider.id, credential.says);
      } else if (credential) {
        this.addReal(provider, credential, access, problems);
        problems.push(...this.partlyOpened(provider));
      }
    }
    const ownKeysOnly = this.ownKeysOnly({ providers, sandbox }, access, problems);
    return { sandbox, access, ownKeysOnly, problems: [...new Set(problems)], faults };
  }

  /** No credential of the environment is used there; what it says of a region is, for every account. */
  private ownKeysOnly(
    known: Parameters<typeof takersOfOwnKeys>[0],
    access: ReadonlyMap<string, ProviderAccess>,
    problems: string[],
  ): ReadonlyMap<string, ProviderAccess> {
    const others = new Map<string, ProviderAccess>();
    for (const provider of takersOfOwnKeys(known)) {
      if (access.has(provider.id) || (provider.isLive && this.distrust(provider))) continue;
      this.addReal(provider, { kind: 'none' }, others, problems);
    }
    return others;
  }

  /** A key that cannot be opened, or is not there, is one, too: nobody wants invented answers in its place. */
  private simulate(credentials: ReadonlyMap<ProviderDefinition, Credential | Fault | null>): boolean {
    if (!this.sandboxKnown || this.mode === 'off') return false;
    const isNone = (credential: Credential | Fault | null) =>
      !credential || (!(credential instanceof Fault) && credential.kind === 'none');
    return this.mode === 'on' || [...credentials.values()].every(isNone);
  }

  private addReal(
    provider: ProviderDefinition,
    credential: Credential,
    access: Map<string, ProviderAccess>,
    problems: string[],
  ): void {
    const filled = filledBaseUrl(provider, this.secrets);
    if ('problem' in filled) problems.push(filled.problem);
    else access.set(provider.id, { simulated: false, credential, ...filled, ...this.boundsOf(provider) });
  }

  private boundsOf({ isLive, baseUrl }: ProviderDefinition): Pick<ProviderAccess, 'internetOnly'> {
    return isLive && !this.privateHosts.includes(new URL(baseUrl).hostname) ? { internetOnly: true } : {};
  }

  /** Null: none is set. Nothing of the environment goes to a provider that was set without it. */
  private credentialOf(provider: ProviderDefinition): Credential | Fault | null {
    const { authentication, apiKeyEnv, isLive, sealedKeys } = provider;
    if (isLive) return this.distrust(provider) ?? this.sealedCredential(provider, sealedKeys);
    if (authentication === 'google') return this.googleCredential(this.secrets.first(apiKeyEnv));
    const named = this.secrets.keys(apiKeyEnv);
    const opened = this.opened(provider);
    const [key, ...more] = new Set([...named, ...opened]);
    if (key !== undefined) return { kind: 'key', key, ...(more.length > 0 && { more }) };
    const signing = authentication === 'aws' ? this.awsCredential() : null;
    if (signing) return signing;
    if (sealedKeys !== null) return this.notOpened(provider, sealedKeys);
    if (authentication === 'aws') return null;
    return apiKeyEnv.length === 0 ? { kind: 'none' } : null;
  }

  /** `sealed` null: the provider needs none. */
  private sealedCredential(provider: ProviderDefinition, sealed: SealedKeys): Credential | Fault {
    if (sealed === null) return { kind: 'none' };
    const [key, ...more] = this.opened(provider);
    if (key !== undefined) return { kind: 'key', key, ...(more.length > 0 && { more }) };
    return this.notOpened(provider, sealed);
  }

  private opened(provider: ProviderDefinition): string[] {
    return (provider.sealedKeys ?? []).flatMap(({ name, sealed }) => this.ring.open(provider, name, sealed) ?? []);
  }

  /** Of a provider that can be used all the same. */
  private partlyOpened(provider: ProviderDefinition): string[] {
    const left = (provider.sealedKeys ?? []).filter(
      ({ name, sealed }) => this.ring.open(provider, name, sealed) === null,
    );
    return left.length > 0 ? [`${provider.name} goes on without a key. ${this.whyNotOpened(left)}`] : [];
  }

  private notOpened({ isLive }: ProviderDefinition, sealed: readonly { name: string }[]): Fault {
    const isTold = sealed.length === 0 && isLive;
    return new Fault(isTold ? null : this.whyNotOpened(sealed));
  }

  private whyNotOpened(sealed: readonly { name: string }[]): string {
    if (sealed.length === 0) return 'Its key is not there: it was not given yet, or was removed.';
    const names = sealed.map(({ name }) => name).join(', ');
    const why =
      this.ring.opens.length === 0
        ? 'inference has no TOLLGATE_KEY_ENCRYPTION_KEY'
        : 'it was sealed with another TOLLGATE_KEY_ENCRYPTION_KEY than inference has: give that one as TOLLGATE_KEY_ENCRYPTION_KEY_PREVIOUS, or the key again';
    return `Its key (${names}) cannot be opened: ${why}.`;
  }

  private distrust({ baseUrl }: ProviderDefinition): Fault | null {
    try {
      outgoingAddress(baseUrl, this.privateHosts, privateHostsVariable);
      return null;
    } catch (error) {
      return new Fault(`Its address ${error instanceof Error ? error.message : String(error)}.`);
    }
  }

  private awsCredential(): Credential | null {
    const accessKeyId = this.secrets.first(['AWS_ACCESS_KEY_ID']);
    const secretAccessKey = this.secrets.first(['AWS_SECRET_ACCESS_KEY']);
    if (accessKeyId === undefined || secretAccessKey === undefined) return null;
    const sessionToken = this.secrets.first(['AWS_SESSION_TOKEN']) ?? null;
    return { kind: 'aws', accessKeyId, secretAccessKey, sessionToken };
  }

  private googleCredential(value: string | undefined): Credential | null {
    if (value === undefined) return null;
    const json = value.startsWith('{') ? value : this.secrets.file(value);
    return json === undefined ? null : { kind: 'google', json };
  }
}

/**
 * Why a credential that was given without the environment cannot be used, in a sentence without secrets.
 * Null: it is not there, and catalog tells it.
 */
class Fault {
  constructor(readonly says: string | null) {}
}

type SealedKeys = ProviderDefinition['sealedKeys'];

/** No secret goes to a simulated provider, and no request to it is signed. */
function simulated({ baseUrl }: ProviderDefinition): ProviderAccess {
  return { simulated: true, baseUrl, credential: { kind: 'none' } };
}

/** True when both serve the same providers in the same way, and lack the same for the same reason. */
export function sameCredentials(a: CredentialSet, b: CredentialSet): boolean {
  return (
    a.sandbox === b.sandbox &&
    a.access.size === b.access.size &&
    isDeepStrictEqual(a.faults, b.faults) &&
    [...a.access].every(([id, access]) => JSON.stringify(b.access.get(id)) === JSON.stringify(access))
  );
}

/** Names of regions, projects and resources. Anything else could lead a key to another host. */
const plainName = /^[a-zA-Z0-9][a-zA-Z0-9-]*$/;

/** The base URL with its placeholders filled, or what is missing: a sentence for the operator. */
function filledBaseUrl(
  provider: ProviderDefinition,
  secrets: EnvironmentSecrets,
): { baseUrl: string } | { problem: string } {
  let { baseUrl } = provider;
  for (const [name, { env, default: otherwise }] of Object.entries(provider.placeholders)) {
    if (!baseUrl.includes(`{${name}}`)) continue;
    const value = secrets.first(env) ?? otherwise;
    if (value === null) return { problem: `${provider.name} needs ${env.join(' or ')} beside its credential` };
    if (!plainName.test(value)) {
      return { problem: `${env.join(' or ')} must be a name of letters, digits and dashes, for ${provider.name}` };
    }
    baseUrl = baseUrl.replaceAll(`{${name}}`, value);
  }
  return { baseUrl };
}
