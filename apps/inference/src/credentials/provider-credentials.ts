import { isSimulated, type ProviderDefinition } from '@tollgate/contracts';
import { filledBaseUrl } from './base-url';
import type { Credential, ProviderAccess } from './credential';
import type { EnvironmentSecrets } from './environment-secrets';

/**
 * How to reach providers: with their credentials, or in the sandbox without any. Holds secrets: never log
 * one.
 */
export interface CredentialSet {
  /** True when the sandbox answers in place of the built-in providers. */
  readonly sandbox: boolean;
  /** By provider id. A provider that is missing here cannot be used. */
  readonly access: ReadonlyMap<string, ProviderAccess>;
  /**
   * Why a provider cannot be used although it has a credential: sentences for the operator, without secrets.
   */
  readonly problems: readonly string[];
}

/** Reads what providers need from the environment, by the names that the catalog gives. */
export class ProviderCredentials {
  constructor(
    private readonly mode: 'auto' | 'on' | 'off',
    private readonly sandboxKnown: boolean,
    private readonly secrets: EnvironmentSecrets,
  ) {}

  /** Reads anew, so that a secret file that was replaced takes effect. */
  read(providers: readonly ProviderDefinition[]): CredentialSet {
    const credentials = new Map(providers.map((provider) => [provider, this.credentialOf(provider)]));
    const sandbox = this.simulate([...credentials.values()]);
    const access = new Map<string, ProviderAccess>();
    const problems: string[] = [];
    for (const [provider, credential] of credentials) {
      if (isSimulated(provider, { sandbox })) access.set(provider.id, simulated(provider));
      else if (credential) this.addReal(provider, credential, access, problems);
    }
    return { sandbox, access, problems };
  }

  private simulate(credentials: readonly (Credential | null)[]): boolean {
    if (!this.sandboxKnown || this.mode === 'off') return false;
    return this.mode === 'on' || credentials.every((credential) => !credential || credential.kind === 'none');
  }

  private addReal(
    provider: ProviderDefinition,
    credential: Credential,
    access: Map<string, ProviderAccess>,
    problems: string[],
  ): void {
    const filled = filledBaseUrl(provider, this.secrets);
    if ('problem' in filled) problems.push(filled.problem);
    else access.set(provider.id, { simulated: false, credential, baseUrl: filled.baseUrl });
  }

  /** Null: none is set. */
  private credentialOf({ authentication, apiKeyEnv }: ProviderDefinition): Credential | null {
    if (authentication === 'google') return this.googleCredential(this.secrets.first(apiKeyEnv));
    const [key, ...more] = this.secrets.keys(apiKeyEnv);
    if (key !== undefined) return { kind: 'key', key, ...(more.length > 0 && { more }) };
    if (authentication === 'aws') return this.awsCredential();
    return apiKeyEnv.length === 0 ? { kind: 'none' } : null;
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

/** No secret goes to a simulated provider, and no request to it is signed. */
function simulated({ baseUrl }: ProviderDefinition): ProviderAccess {
  return { simulated: true, baseUrl, credential: { kind: 'none' } };
}

/** True when both serve the same providers in the same way. */
export function sameCredentials(a: CredentialSet, b: CredentialSet): boolean {
  return (
    a.sandbox === b.sandbox &&
    a.access.size === b.access.size &&
    [...a.access].every(([id, access]) => JSON.stringify(b.access.get(id)) === JSON.stringify(access))
  );
}
