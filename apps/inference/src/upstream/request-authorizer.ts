/** What a credential is put on. `path` is that of the request line. */
export interface RequestToAuthorize {
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: readonly Uint8Array[];
}

/** Proves who we are where that takes more than a fixed header. One per credential; it may keep tokens. */
export interface RequestAuthorizer {
  /**
   * The headers to add: at once where nothing has to be waited for. The promise rejects when the credential
   * cannot be used.
   */
  authorize(request: RequestToAuthorize): Record<string, string> | Promise<Record<string, string>>;
}
