import type { IncomingMessage, RequestListener } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AllowedMethods } from '../errors/allowed-methods';
import { RequestContexts } from '../http/request-context';
import { hostFault, refuseForHost } from '../http/server-options';
import { GenerationEndpoint } from './generation-endpoint';
import { operations, type Operation } from './operations';

/**
 * What other gateways have in the place of `/v1`, so that their clients change the host alone. OpenRouter has
 * `/api/v1`: https://openrouter.ai/docs/quickstart
 * Bifrost has one for each kind of client: https://docs.getbifrost.ai/integrations/openai-sdk and
 * https://docs.getbifrost.ai/integrations/litellm-sdk
 * LiteLLM does too: https://docs.litellm.ai/docs/pass_through/anthropic_completion
 * `/v1` comes twice where a client adds it to an address that ends in it, as Anthropic's do.
 */
const otherBases = /^\/(?:api\/v1|(?:openai|anthropic|litellm)(?:\/v1)?|v1\/v1)(?=\/)/;

/** OpenRouter's, as callers write it: the usual address does not tell it any more. */
const openRouters = /^\/+api\/+v1\//;

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

const byPath = new Map(operations.map((operation) => [operation.path, operation]));

/**
 * Hands every generation request from Node's server to its endpoint, and everything else to the framework,
 * which takes 60 µs for a request and does nothing for these: they are routed here, read and answered by the
 * endpoint (docs/performance.md). An address of another gateway is read as the one here, for all of them.
 * Call it before the server listens.
 */
export function addGenerationRoutes(app: NestFastifyApplication): void {
  const server = app.getHttpServer();
  const endpoint = app.get(GenerationEndpoint);
  const contexts = app.get(RequestContexts);
  const methods = app.get(AllowedMethods);
  for (const { path } of operations) methods.add(path, 'POST');
  const others = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (message, response) => {
    const isOpenRouters = openRouters.test(message.url ?? '');
    message.url = usualAddress(message);
    const fault = hostFault(message);
    if (fault) return refuseForHost(fault, message, response, plainPath(message.url));
    const operation = operationOf(message);
    if (operation) {
      const context = contexts.begin(message);
      context.tellsThoughts = isOpenRouters && operation.surface.name === 'openai-chat';
      void endpoint.handle(operation, message, response, context);
    } else for (const other of others) other.call(server, message, response);
  });
}

/** What a request asks for by its method and address, however that is written; undefined: no generation. */
export function operationOf({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): Operation | undefined {
  if (method !== 'POST') return undefined;
  return byPath.get(url) ?? byPath.get(plainPath(url));
}

/**
 * The path of an address that may be whole (https://www.rfc-editor.org/rfc/rfc9112#name-absolute-form), have
 * a query, or be percent-encoded; empty for one that cannot be decoded.
 */
export function plainPath(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/]*/, '').split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    return '';
  }
}
