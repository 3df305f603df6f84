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

/** Which attribute a path is of, in lower case: `emails[type eq "work"].value` is of emails. */
const pathForm = /^(?:urn:ietf:params:scim:schemas:core:2\.0:user:)?([a-z]+)(?:\[[^\]]*\])?(?:\.([a-z]+))?$/;

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
  return Object.assign({}, ...said.map(withoutUnsaid)) as SaidUser;
}

/** What is taken away: of all attributes only the id elsewhere may be. */
function removed(path: string | null | undefined): SaidUser {
  if (path == null) throw new ScimError(400, 'path: is required to remove something.', 'invalidValue');
  const attribute = attributeOf(path);
  if (attribute === 'externalid') return { externalId: null };
  if (attribute === 'active' || attribute === 'username' || attribute === 'emails')
    throw new ScimError(400, `${path}: cannot be removed.`, 'invalidValue');
  return {};
}

/** A value whose members may be paths themselves, as Okta and Entra write it. */
function withPaths(value: unknown): object {
  const members = z.record(z.string(), z.unknown()).safeParse(value);
  if (!members.success) throw new ScimError(400, 'value: must be an object where there is no path.', 'invalidValue');
  return Object.assign({}, ...Object.entries(members.data).map(([path, given]) => atPath(path, given))) as object;
}

/** A part of a user that has this value at a path. */
function atPath(path: string, value: unknown): object {
  const [, attribute = '', part] = pathForm.exec(path.toLowerCase()) ?? [];
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
      return part === undefined ? { name: value } : part === 'formatted' ? { name: { formatted: value } } : {};
    case 'emails':
    case 'roles':
      return { [attribute]: Array.isArray(value) ? value : [part === 'value' ? { value } : value] };
    default:
      return {};
  }
}

function attributeOf(path: string): string | undefined {
  return pathForm.exec(path.toLowerCase())?.[1];
}

function withoutUnsaid(said: SaidUser): object {
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}
