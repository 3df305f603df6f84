/** https://www.rfc-editor.org/rfc/rfc7644#section-8.1 */
export const scimType = 'application/scim+json; charset=utf-8';
