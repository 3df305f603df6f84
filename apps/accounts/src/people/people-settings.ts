/** A provider that people may sign in with. `name` is what the button says. */
export interface OidcSettings {
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** How people sign in. Times in milliseconds. */
export class PeopleSettings {
  constructor(
    /** The address of the dashboard, without a slash at its end; links in mails lead there. */
    readonly publicUrl: string,
    /** Null: no first administrator can be made. */
    readonly bootstrapSecret: string | null,
    /** How long a session goes on unused, and how long at all. */
    readonly sessionIdleMs: number,
    readonly sessionMaxMs: number,
    /** Null: nobody signs in with a provider. */
    readonly oidc: OidcSettings | null,
    /** Null: mails stay in the outbox. `url` as nodemailer takes it: smtps://user:password@host:465. */
    readonly smtp: { url: string; from: string } | null,
  ) {}
}
