/** What proves to a provider who we are. Secrets: never log one. */
export type Credential =
  /** The provider needs none, or is a simulated one. */
  | { kind: 'none' }
  /** `more`: further keys of the same provider, in the order in which they were given; absent: none. */
  | { kind: 'key'; key: string; more?: readonly string[] }
  /** Requests are signed. `sessionToken` null: the keys are lasting ones. */
  | { kind: 'aws'; accessKeyId: string; secretAccessKey: string; sessionToken: string | null }
  /**
   * `json`: credentials of Google (a service account, a federated identity, a user), as their file holds
   * them.
   */
  | { kind: 'google'; json: string };

/**
 * How to reach one provider. `baseUrl` has no placeholder left; `simulated`: the sandbox answers in its
 * place.
 */
export interface ProviderAccess {
  readonly simulated: boolean;
  readonly baseUrl: string;
  readonly credential: Credential;
  /** True: its host must lead to addresses of the internet. Absent: it may lead anywhere. */
  readonly internetOnly?: boolean;
}
