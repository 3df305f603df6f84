import { z } from 'zod';
import { directoryRole } from '@tollgate/contracts/accounts';
import { userSchema } from './scim-user';
import { ScimError } from './scim-error';

const core = 'urn:ietf:params:scim:schemas:core:2.0';

/** What this directory can do: https://www.rfc-editor.org/rfc/rfc7643#section-5. */
export const providerConfig = {
  schemas: [`${core}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: 200 },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    { type: 'oauthbearertoken', name: 'Bearer token', description: 'tollgate tokens create --scopes scim --account …' },
  ],
};

/** What there is in it. `base`: the address of /scim/v2. */
export const userType = (base: string): object => ({
  schemas: [`${core}:ResourceType`],
  id: 'User',
  name: 'User',
  endpoint: '/Users',
  schema: userSchema,
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/User` },
});

const text = (name: string, more: object = {}) => ({
  ...{ name, type: 'string', multiValued: false, required: false, caseExact: false },
  ...{ mutability: 'readWrite', returned: 'default', uniqueness: 'none' },
  ...more,
});
const several = (name: string, subAttributes: object[]) => ({
  ...{ name, type: 'complex', multiValued: true, required: false, mutability: 'readWrite', returned: 'default' },
  subAttributes,
});
const flag = (name: string) => ({ ...text(name), type: 'boolean' });

/** The attributes that are kept, and no others. https://www.rfc-editor.org/rfc/rfc7643#section-7 */
export const userAttributes = (base: string): object => ({
  schemas: [`${core}:Schema`],
  id: userSchema,
  name: 'User',
  attributes: [
    text('userName', { required: true, uniqueness: 'server' }),
    text('externalId', { caseExact: true }),
    text('displayName'),
    {
      ...text('name'),
      type: 'complex',
      subAttributes: ['formatted', 'givenName', 'familyName'].map((one) => text(one)),
    },
    several('emails', [text('value'), flag('primary')]),
    several('roles', [text('value', { canonicalValues: directoryRole.options }), flag('primary')]),
    flag('active'),
  ],
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${userSchema}` },
});

/** https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2 */
export function listOf(resources: readonly object[], total: number, startIndex: number): object {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    ...{ totalResults: total, startIndex, itemsPerPage: resources.length },
    Resources: resources,
  };
}

const mostUsers = 200;

/**
 * How users are asked for: https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2.4. A first below 1 is 1, and
 * a count below 0 is 0.
 */
const query = z.looseObject({
  startIndex: z.coerce.number().int().catch(1),
  count: z.coerce.number().int().catch(100),
  filter: z.string().max(500).optional(),
});

/** The one comparison that directories look users up by. */
const filterForm = /^\s*(userName|externalId)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i;

/** What of the users is asked for. @throws ScimError 400 for another filter. */
export function fromScimQuery(value: unknown): {
  startIndex: number;
  wish: { skip: number; limit: number; userName?: string; externalId?: string };
} {
  const asked = query.safeParse(value);
  if (!asked.success) throw noFilter();
  const { startIndex, count, filter } = asked.data;
  const first = Math.max(1, startIndex);
  const limit = Math.min(mostUsers, Math.max(0, count));
  return { startIndex: first, wish: { skip: first - 1, limit, ...(filter !== undefined && wanted(filter)) } };
}

function wanted(filter: string): { userName: string } | { externalId: string } {
  const [, attribute = '', text = '""'] = filterForm.exec(filter) ?? [];
  const value = z.string().safeParse(parsed(text)).data;
  if (attribute === '' || value === undefined) throw noFilter();
  return attribute.toLowerCase() === 'username' ? { userName: value } : { externalId: value };
}

function noFilter(): ScimError {
  return new ScimError(400, 'filter: takes userName eq "…" and externalId eq "…".', 'invalidFilter');
}

/** A text as JSON writes it: https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2.2. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
