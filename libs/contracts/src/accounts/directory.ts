import { z } from 'zod';
import { accountRole } from './account-roles';
import { operation } from '../operation';
import { emailAddress, personName } from './people';
import { text } from '../text';

/** What a directory may make of somebody: owners are made by owners. */
export const directoryRole = accountRole.exclude(['owner']);

/** What a directory says of somebody. `externalId` null: it has none of its own. */
const said = {
  userName: text(200).trim().min(1),
  externalId: text(200).min(1).nullable(),
  email: emailAddress,
  name: personName,
  role: directoryRole,
};

/**
 * Somebody as a directory (SCIM) knows them. `active`: they are a person of the account now; not so once the
 * directory, or an owner of the account, removed them. Times are epoch milliseconds.
 */
export const directoryUser = z.object({
  id: z.string(),
  ...said,
  role: accountRole,
  active: z.boolean(),
  createdAt: z.number(),
  changedAt: z.number(),
});
export type DirectoryUser = z.infer<typeof directoryUser>;

const account = { accountId: z.string() };
const one = { ...account, id: text(200) };
const acting = { actor: text(200).min(1) };
const told = z.object({ user: directoryUser });

/** The people whom a directory sends into an account (SCIM 2.0, RFC 7644). Accounts answers. */
export const directoryOperations = {
  /** By their order of making; `skip` of them first. `total`: all that match, of which `limit` are told. */
  list: operation(
    'accounts.directory.list',
    z.object({
      ...account,
      userName: text(200).optional(),
      externalId: text(200).optional(),
      skip: z.number().int().nonnegative().default(0),
      limit: z.number().int().min(0).max(200).default(100),
    }),
    z.object({ users: z.array(directoryUser), total: z.number().int() }),
  ),
  /** `not_found` for one of another account. */
  get: operation('accounts.directory.get', z.object(one), told),
  /**
   * Makes a person of the account, who signs in with an OpenID provider, or after a mail for a password.
   * Somebody of the account who has the address already is taken over. `conflict` for a user name that is
   * there, and for an address that is in another account; `forbidden` where the account is not active.
   */
  create: operation(
    'accounts.directory.create',
    z.object({ ...account, ...said, active: z.boolean(), ...acting }),
    told,
  ),
  /**
   * What is absent stays. `active` false removes the person: sessions end at once, and their keys stop on
   * every edge within a second; true makes them anew, without keys. `conflict` and `forbidden` as for
   * create; `forbidden` also for the last administrator of the gateway, and for another address of an owner.
   */
  change: operation(
    'accounts.directory.change',
    z.object({ ...one, ...z.object(said).partial().shape, active: z.boolean().optional(), ...acting }),
    told,
  ),
  /** As `active` false, and forgets them. */
  remove: operation('accounts.directory.remove', z.object({ ...one, ...acting }), z.object({})),
};
