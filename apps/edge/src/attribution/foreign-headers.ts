import type { IncomingHttpHeaders } from 'node:http';

/**
 * In which headers callers of LiteLLM name their end user, the one that counts first in front.
 * https://docs.litellm.ai/docs/proxy/legacy_end_users
 */
const endUserHeaders = ['x-litellm-customer-id', 'x-litellm-end-user-id'] as const;
/** https://docs.litellm.ai/docs/proxy/request_headers */
const tagsHeader = 'x-litellm-tags';
/**
 * A JSON object of Portkey's callers, in which `_user` is the end user.
 * https://portkey.ai/docs/product/observability/metadata
 */
const metadataHeader = 'x-portkey-metadata';
/** How applications call themselves to OpenRouter. https://openrouter.ai/docs/features/app-attribution */
const titleHeaders = ['x-openrouter-title', 'x-title'] as const;
const addressHeader = 'http-referer';
/** What is another for each request, conversation or person says nothing of what many of them cost. */
const isOfFew =
  /^(?:_user|(?:(?:request|trace|span|session|conversation|thread|message|chat|run|event|user)[_-]?id)|timestamp|(?:created|sent|started)[_-]?at|date|time)$/i;
const isSession = /^session[_-]?id$/i;

/** What callers that came from another gateway say of a request. */
export interface ForeignAttribution {
  /** Undefined: they say none. */
  endUser: string | undefined;
  session: string | undefined;
  /** Names or `name=value`, not all of a form that is kept. */
  tags: readonly string[];
}

const nothing: ForeignAttribution = { endUser: undefined, session: undefined, tags: [] };

/**
 * Reads headers that were not meant for us: nothing of them is refused, and what nobody can read is nothing.
 */
export function foreignAttribution(headers: IncomingHttpHeaders): ForeignAttribution {
  const list = headers[tagsHeader];
  const metadata = metadataOf(headers[metadataHeader]);
  const endUser = firstOf(headers, endUserHeaders) ?? metadata?._user;
  const app = appOf(headers);
  if (list === undefined && metadata === null && endUser === undefined && app === undefined) return nothing;
  return {
    endUser,
    session: Object.entries(metadata ?? {}).find(([name]) => isSession.test(name))?.[1],
    tags: [
      ...(typeof list === 'string' ? list.split(',') : []),
      ...Object.entries(metadata ?? {}).flatMap(([name, value]) => tagOf(name, value)),
      ...(app === undefined ? [] : [`app=${app}`]),
    ],
  };
}

function firstOf(headers: IncomingHttpHeaders, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}

/** Texts by their names; null: there is none, or it is no JSON object. */
function metadataOf(header: string | string[] | undefined): Record<string, string> | null {
  if (typeof header !== 'string') return null;
  try {
    const said: unknown = JSON.parse(header);
    if (typeof said !== 'object' || said === null || Array.isArray(said)) return null;
    const texts = Object.entries(said).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
    );
    return Object.fromEntries(texts);
  } catch {
    return null;
  }
}

function tagOf(name: string, value: string): string[] {
  return isOfFew.test(name) ? [] : [`${name}=${value}`];
}

/** The title of an application, else the host of its address. */
function appOf(headers: IncomingHttpHeaders): string | undefined {
  const title = firstOf(headers, titleHeaders);
  if (title !== undefined) return title.trim();
  const address = headers[addressHeader];
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).host || undefined : undefined;
}
