import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { pipeline } from 'node:stream';
import type { AddressInfo } from 'node:net';

/** What LiteLLM asks of providers, and where the simulated ones have it. */
const places: readonly (readonly [RegExp, string])[] = [
  [/^.*\/chat\/completions$/, '/openai-chat/chat/completions'],
  [/^.*\/responses$/, '/openai-responses/responses'],
  [/^.*\/messages$/, '/anthropic-messages/messages'],
  [/^.*\/models\/([^/]+:(?:generate|streamGenerate)Content)$/, '/gemini/models/$1'],
  [/^\/model\/(.*)$/, '/bedrock-converse/model/$1'],
  [/^.*\/v[12]\/chat$/, '/cohere/chat'],
];

/** One address for every provider, which leads to the simulated ones. */
export class ProviderFront {
  private constructor(
    readonly url: string,
    private readonly server: Server,
  ) {}

  static async start(sandboxUrl: string): Promise<ProviderFront> {
    const server = createServer((asked, answer) => passOn(sandboxUrl, asked, answer));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return new ProviderFront(`http://127.0.0.1:${port}`, server);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

function passOn(sandboxUrl: string, asked: IncomingMessage, answer: ServerResponse): void {
  const url = new URL(asked.url ?? '/', sandboxUrl);
  const place = places.find(([path]) => path.test(url.pathname));
  if (!place) {
    answer.writeHead(404, { 'content-type': 'text/plain' }).end(`No provider has ${url.pathname}.`);
    return;
  }
  url.pathname = url.pathname.replace(place[0], place[1]);
  const { host: _, ...headers } = asked.headers;
  const onward = request(url, { method: asked.method, headers }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    pipeline(response, answer, () => undefined);
  });
  onward.once('error', () => answer.destroy());
  pipeline(asked, onward, () => undefined);
}
