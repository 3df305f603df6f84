import type { Credential } from '../credentials/credential';
import { AwsSigner } from './aws-signer';
import { GoogleTokens, googleTokenFetch } from './google-tokens';
import type { RequestAuthorizer } from './request-authorizer';

/**
 * The authorizers of credentials. They outlive snapshots of the catalog, so that a token is not fetched anew
 * for each.
 */
export class Authorizers {
  private readonly known = new Map<string, RequestAuthorizer>();

  /** Null: a fixed header is all it takes, or nothing at all. */
  of(credential: Credential): RequestAuthorizer | null {
    if (credential.kind !== 'aws' && credential.kind !== 'google') return null;
    const name = JSON.stringify(credential);
    const authorizer = this.known.get(name) ?? created(credential);
    this.known.set(name, authorizer);
    return authorizer;
  }

  /** Forgets the authorizers of credentials that are not used any more. */
  retain(credentials: Iterable<Credential>): void {
    const used = new Set(Array.from(credentials, (credential) => JSON.stringify(credential)));
    for (const name of this.known.keys()) if (!used.has(name)) this.known.delete(name);
  }
}

function created(credential: Extract<Credential, { kind: 'aws' | 'google' }>): RequestAuthorizer {
  return credential.kind === 'aws'
    ? new AwsSigner(credential, 'bedrock')
    : new GoogleTokens(googleTokenFetch(credential.json));
}
