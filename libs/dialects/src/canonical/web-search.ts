import type { RequestFields } from './request-fields';

/**
 * A search of the web that the provider runs by itself while it answers. Absent members: as the provider does
 * without them.
 */
export interface WebSearch {
  /**
   * True where the caller's program offers it to every model unasked, beside tools of its own: a model
   * without one can do without.
   */
  isDispensable: boolean;
  /** How often the web may be searched for one answer. */
  maxUses?: number;
  /** Only these domains, or all but these. */
  allowedDomains?: string[];
  blockedDomains?: string[];
  /** Where the end user is, roughly. */
  location?: Record<string, string>;
  /** How much of what is found the model reads. */
  contextSize?: 'low' | 'medium' | 'high';
}

/**
 * Reads where an end user is: city, region, country and time zone have the same names on every surface. What
 * else it holds goes to `unread`.
 */
export function readLocation(fields: RequestFields | undefined, unread: string[]): Pick<WebSearch, 'location'> {
  if (fields === undefined) return {};
  fields.ignore('type');
  const location = Object.fromEntries(
    ['city', 'region', 'country', 'timezone'].flatMap((name) => {
      const value = fields.text(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  fields.finish(unread);
  return Object.keys(location).length === 0 ? {} : { location };
}

/**
 * Reads a list of domains. Undefined: none is named.
 * @throws GatewayError 400 for what is no list of texts.
 */
export function readDomains(fields: RequestFields | undefined, name: string): string[] | undefined {
  const domains = fields?.texts(name);
  return domains?.length === 0 ? undefined : domains;
}
