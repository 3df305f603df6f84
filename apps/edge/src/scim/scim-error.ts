/**
 * What a directory is refused with. `scimType` null: none of those that there are.
 * https://www.rfc-editor.org/rfc/rfc7644#section-3.12
 */
export class ScimError extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly scimType: 'uniqueness' | 'invalidFilter' | 'invalidValue' | 'invalidPath' | null = null,
  ) {
    super(detail);
  }
}

/** The body of an error answer. */
export function scimErrorBody(status: number, detail: string, scimType: string | null): object {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType !== null && { scimType }),
    detail,
  };
}

/** https://www.rfc-editor.org/rfc/rfc7644#section-8.1 */
export const scimType = 'application/scim+json; charset=utf-8';
