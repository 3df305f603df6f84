import { directoryRole } from '@tollgate/contracts';
import { userSchema } from './scim-user';

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
