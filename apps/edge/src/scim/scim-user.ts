import { directoryRole, type DirectoryUser } from '@tollgate/contracts/accounts';
import { z } from 'zod';
import { ScimError } from './scim-error';

/** https://www.rfc-editor.org/rfc/rfc7643#section-4.1 */
export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';

const flag = z.union([
  z.boolean(),
  // As Entra writes it:
  // https://learn.microsoft.com/en-us/entra/identity/app-provisioning/application-provisioning-config-problem-scim-compatibility
  z
    .string()
    .toLowerCase()
    .pipe(z.enum(['true', 'false']))
    .transform((text) => text === 'true'),
]);
const words = z.string().max(200);
const values = z
  .array(z.looseObject({ value: words.nullish(), type: words.nullish(), primary: flag.nullish() }))
  .max(20)
  .nullish();

/** What is read of a user that a directory sends; all else is passed over. */
const sentUser = z.looseObject({
  userName: words.nullish(),
  externalId: words.nullish(),
  displayName: words.nullish(),
  name: z
    .looseObject({ formatted: words.nullish(), givenName: words.nullish(), familyName: words.nullish() })
    .nullish(),
  emails: values,
  roles: values,
  active: flag.nullish(),
});
type SentUser = z.infer<typeof sentUser>;

/** What a directory says of parts of a name; what is undefined was not said. */
interface NameParts {
  given?: string | undefined;
  family?: string | undefined;
}

/**
 * What a directory says of somebody, as accounts takes it; what is undefined was not said. `parts`: of a name
 * that was not said as a whole.
 */
export interface SaidUser {
  userName?: string | undefined;
  externalId?: string | null | undefined;
  email?: string | undefined;
  name?: string | undefined;
  parts?: NameParts | undefined;
  role?: z.infer<typeof directoryRole> | undefined;
  active?: boolean | undefined;
}

/** Who is sent without a role makes keys of their own, and sees what others use. */
const usualRole = 'developer';

/** @throws ScimError 400. */
export function fromScimUser(value: unknown): SaidUser {
  const result = sentUser.safeParse(value);
  if (result.success) return saidBy(result.data);
  const [issue] = result.error.issues;
  throw new ScimError(400, `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'is no user'}`, 'invalidValue');
}

function saidBy(user: SentUser): SaidUser {
  const email = primary(user.emails);
  const name = user.displayName || user.name?.formatted || undefined;
  return {
    userName: user.userName ?? undefined,
    externalId: user.externalId,
    email: email ?? undefined,
    name,
    parts: name === undefined ? partsOf(user) : undefined,
    role: roleOf(primary(user.roles)),
    active: user.active ?? undefined,
  };
}

/** A new user has all that accounts wants to know. @throws ScimError 400. */
export function asNewUser({ userName, email, name, parts = {}, ...said }: SaidUser) {
  if (userName === undefined) throw new ScimError(400, 'userName: is required.', 'invalidValue');
  const address = email ?? (userName.includes('@') ? userName : undefined);
  if (address === undefined)
    throw new ScimError(400, 'emails: is required where the userName is no address.', 'invalidValue');
  return {
    ...{
      userName,
      email: address,
      name: name ?? (withParts('', parts) || userName),
      externalId: said.externalId ?? null,
    },
    ...{ role: said.role ?? usualRole, active: said.active ?? true },
  };
}

/** Null: none. The one that is marked, else that of work, else the first. */
function primary(all: SentUser['emails']): string | null {
  const ofWork = all?.find(({ type }) => type?.toLowerCase() === 'work');
  const one = all?.find((value) => value.primary === true) ?? ofWork ?? all?.[0];
  return one?.value ?? null;
}

function partsOf({ name }: SentUser): NameParts | undefined {
  const [given, family] = [name?.givenName ?? undefined, name?.familyName ?? undefined];
  return given === undefined && family === undefined ? undefined : { given, family };
}

/** The name of somebody of whom parts are said. A userName that stands for a name has none of them. */
export function renamed({ name, userName }: Pick<DirectoryUser, 'name' | 'userName'>, parts: NameParts): string {
  return withParts(name === userName ? '' : name, parts) || name;
}

/**
 * A name with other parts; its family name is the last word where it has several. One that has both parts
 * already stays: it was said as a whole, and a directory may say parts again that it does not find here.
 * Empty: nothing is left.
 */
export function withParts(name: string, { given, family }: NameParts): string {
  if (given !== undefined && family !== undefined && hasWords(name, given) && hasWords(name, family)) return name;
  const words = name.split(/\s+/);
  const last = words.length > 1 ? words.pop() : '';
  return [given ?? words.join(' '), family ?? last].filter((part) => part !== '').join(' ');
}

/** Whether these words stand in a name, whatever is around them. */
function hasWords(name: string, words: string): boolean {
  const spaced = (text: string) =>
    ` ${text
      .split(/[\s,;()]+/)
      .join(' ')
      .trim()} `;
  return words.trim() !== '' && spaced(name).includes(spaced(words));
}

/** @throws ScimError 400 for a role that there is not, or that a directory does not give. */
function roleOf(text: string | null): SaidUser['role'] {
  if (text === null || text === '') return undefined;
  const role = directoryRole.safeParse(text.toLowerCase());
  if (role.success) return role.data;
  throw new ScimError(400, `roles: must be one of ${directoryRole.options.join(', ')}.`, 'invalidValue');
}

/** A user as a directory reads it. `base`: the address of /scim/v2. */
export function toScimUser(user: DirectoryUser, base: string): object {
  const { id, userName, externalId, email, name, role, active } = user;
  return {
    schemas: [userSchema],
    id,
    ...(externalId !== null && { externalId }),
    userName,
    displayName: name,
    name: { formatted: name },
    emails: [{ value: email, type: 'work', primary: true }],
    roles: [{ value: role, primary: true }],
    active,
    meta: {
      resourceType: 'User',
      created: new Date(user.createdAt).toISOString(),
      lastModified: new Date(user.changedAt).toISOString(),
      location: `${base}/Users/${id}`,
    },
  };
}
