import { z } from 'zod';
import { ScimError } from './scim-error';
import { fromScimUser, type SaidUser } from './scim-user';

/** Entra writes the names of operations with a capital letter. */
const patch = z.looseObject({
  Operations: z
    .array(
      z.looseObject({
        op: z
          .string()
          .toLowerCase()
          .pipe(z.enum(['add', 'replace', 'remove'])),
        path: z.string().max(200).nullish(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(100),
});

/** A path, in lower case: `emails[type eq "work"].value`. */
const pathForm =
  /^(?:urn:ietf:params:scim:schemas:core:2\.0:user:)?(?<attribute>[a-z]+)(?:\[(?<which>[^\]]*)\])?(?:\.(?<part>[a-z]+))?$/;
/** By which of their addresses somebody is known here: all others are theirs alone. */
const workMail = /^\s*(?:type\s+eq\s+"work"|primary\s+eq\s+"?true"?)\s*$/;

/**
 * What a PATCH says of a user (https://www.rfc-editor.org/rfc/rfc7644#section-3.5.2). Attributes that are not
 * kept here are passed over.
 * @throws ScimError 400.
 */
export function fromScimPatch(value: unknown): SaidUser {
  const result = patch.safeParse(value);
  if (!result.success)
    throw new ScimError(400, 'Operations: must be a list of add, replace and remove.', 'invalidValue');
  const said = result.data.Operations.map(({ op, path, value: given }) => {
    if (op === 'remove') return removed(path);
    return path == null ? fromScimUser(withPaths(given)) : fromScimUser(atPath(path, given));
  });
  const { parts: _, ...all } = Object.assign({}, ...said.map(withoutUnsaid)) as SaidUser;
  const parts = said.flatMap((one) => one.parts ?? []).map(withoutUnsaid);
  // Each part may come by an operation of its own. The name as a whole says more.
  return all.name !== undefined || parts.length === 0 ? all : { ...all, parts: Object.assign({}, ...parts) as object };
}

/** What is taken away: of all attributes only the id elsewhere may be. */
function removed(path: string | null | undefined): SaidUser {
  if (path == null) throw new ScimError(400, 'path: is required to remove something.', 'invalidValue');
  const { attribute, which } = partsOf(path);
  if (attribute === 'externalid') return { externalId: null };
  if (attribute === 'emails' && isOther(which)) return {};
  if (attribute === 'active' || attribute === 'username' || attribute === 'emails')
    throw new ScimError(400, `${path}: cannot be removed.`, 'invalidValue');
  return {};
}

/** A value whose members may be paths themselves, as Okta and Entra write it. */
function withPaths(value: unknown): object {
  const members = z.record(z.string(), z.unknown()).safeParse(value);
  if (!members.success) throw new ScimError(400, 'value: must be an object where there is no path.', 'invalidValue');
  const parts = Object.entries(members.data).map(([path, given]) => atPath(path, given));
  const names = parts.flatMap(({ name }) => (typeof name === 'object' && name !== null ? [name] : []));
  const all = Object.assign({}, ...parts) as Partial<Record<string, unknown>>;
  return typeof all.name === 'object' ? { ...all, name: Object.assign({}, ...names) as object } : all;
}

/** A part of a user that has this value at a path. */
function atPath(path: string, value: unknown): Partial<Record<string, unknown>> {
  const { attribute, which, part } = partsOf(path);
  switch (attribute) {
    case 'active':
      return { active: value };
    case 'username':
      return { userName: value };
    case 'externalid':
      return { externalId: value };
    case 'displayname':
      return { displayName: value };
    case 'name':
      return nameAt(part, value);
    case 'emails':
      return isOther(which) ? {} : { emails: listOf(value, part).filter(isOfWork) };
    case 'roles':
      return { roles: listOf(value, part) };
    default:
      return {};
  }
}

/** By their names in lower case, as paths are read. */
const keptParts: ReadonlyMap<string, string> = new Map(
  ['formatted', 'givenName', 'familyName'].map((part) => [part.toLowerCase(), part]),
);

/** Nothing of a part that is not kept, such as a title. */
function nameAt(part: string | undefined, value: unknown): { name?: unknown } {
  if (part === undefined) return { name: value };
  const kept = keptParts.get(part);
  return kept === undefined ? {} : { name: { [kept]: value } };
}

/** The values that are told of an attribute which may have several; `part`: of what of them. */
function listOf(value: unknown, part: string | undefined): unknown[] {
  if (Array.isArray(value)) return value;
  return [part === 'value' ? { value } : value];
}

/** Whether a path is of addresses beside the one that is kept; `which` undefined: of all. */
function isOther(which: string | undefined): boolean {
  return which !== undefined && !workMail.test(which);
}

/** Whether an address is not told as another one: a private one is nobody's way into an account. */
function isOfWork(value: unknown): boolean {
  const { data } = z.looseObject({ type: z.string().nullish(), primary: z.unknown().optional() }).safeParse(value);
  return data?.type == null || data.type.toLowerCase() === 'work' || /^true$/i.test(String(data.primary));
}

/** All undefined: it is a path of something that is not kept here. */
function partsOf(path: string): { attribute?: string; which?: string; part?: string } {
  return pathForm.exec(path.toLowerCase())?.groups ?? {};
}

function withoutUnsaid(said: object): object {
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}
