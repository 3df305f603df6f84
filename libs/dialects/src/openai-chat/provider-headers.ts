import { GatewayError } from '@tollgate/contracts';

/** More is no name of a conversation, and no list of betas. Characters. */
const longest = 512;

/**
 * Codex asks for a WebSocket by it, which is a matter of the connection to the gateway: no provider is sent
 * one. https://github.com/openai/codex (codex-rs/core/src/client.rs)
 */
const ofConnection = /^responses_websockets=/;

/**
 * The headers that providers of OpenAI's dialects read beside the body: the conversation, whose requests xAI
 * sends to the server that has its cache, and OpenAI's betas, such as several agents in one response.
 * https://docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits
 * https://developers.openai.com/api/docs/guides/responses-multi-agent @throws GatewayError 400 for one that
 * is too long.
 */
export function providerHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of ['x-grok-conv-id', 'openai-beta']) {
    const sent = headers[name];
    if (sent === undefined) continue;
    const said = typeof sent === 'string' ? sent : sent.join(',');
    const value = name === 'openai-beta' ? withoutConnection(said) : said;
    if (value === '') continue;
    if (value.length > longest) throw new GatewayError(400, `The header '${name}' may have ${longest} characters.`);
    passed[name] = value;
  }
  return passed;
}

function withoutConnection(betas: string): string {
  const names = betas.split(',').map((name) => name.trim());
  return names.some((name) => ofConnection.test(name))
    ? names.filter((name) => !ofConnection.test(name)).join(',')
    : betas;
}
