import { z } from 'zod';
import { ScimError } from './scim-error';

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
