import type { IncomingMessage } from 'node:http';

/**
 * What other gateways have in the place of `/v1`, so that their clients change the host alone. OpenRouter has
 * `/api/v1`: https://openrouter.ai/docs/quickstart
 * Bifrost has one for each kind of client: https://docs.getbifrost.ai/integrations/openai-sdk and
 * https://docs.getbifrost.ai/integrations/litellm-sdk
 * LiteLLM does too: https://docs.litellm.ai/docs/pass_through/anthropic_completion
 * `/v1` comes twice where a client adds it to an address that ends in it, as Anthropic's do.
 */
const otherBases = /^\/(?:api\/v1|(?:openai|anthropic|litellm)(?:\/v1)?|v1\/v1)(?=\/)/;

/** What LiteLLM has without any `/v1`, too: https://docs.litellm.ai/docs/proxy/user_keys */
const bare =
  /^\/(?:chat\/completions|completions|conversations|detokenize|embeddings|messages|rerank|responses|tokenize|usage)(?=[/?]|$)/;
/** The same, where a page of the dashboard has the address. */
const bareBesidePage = /^\/models(?=[/?]|$)/;

/** Where there may be a slash that means nothing. */
const moreSlashes = /\/(?:\/|\?|$)/;

/**
 * The address under `/v1` that a request means; its own, where it means none. Two slashes in a row are one:
 * clients add a path to an address that ends in a slash. https://github.com/cline/cline/pull/12532
 * https://github.com/open-webui/open-webui/issues/16749 One at the end means nothing either.
 */
export function usualAddress({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const hasMore = moreSlashes.test(url);
  if (url.startsWith('/v1/') && !url.startsWith('/v1/v1/') && !hasMore) return url;
  const plain = hasMore ? withoutMoreSlashes(url) : url;
  const wantsPage = headers.accept?.includes('text/html') === true;
  const isBare = bare.test(plain) || (bareBesidePage.test(plain) && !wantsPage);
  const meant = isBare ? `/v1${plain}` : plain.replace(otherBases, '/v1');
  return hasMore && !meant.startsWith('/v1/') ? url : meant;
}

/** A query stays as it is. */
function withoutMoreSlashes(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '') + url.slice(path.length);
}
