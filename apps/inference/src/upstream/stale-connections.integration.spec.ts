import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { aProvider } from '../testing/fixtures';
import { providerEndpoint } from './provider-endpoint';
import type { UpstreamFault } from './upstream-fault';
import { UpstreamPools } from './upstream-pools';

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

/** What a provider does with each request on a connection, in turn; the last one again and again. */
type Script = readonly ((socket: Socket) => void)[];

const answers = (socket: Socket): void => void socket.write(answer);
const closes = (socket: Socket): void => void socket.end();
const resets = (socket: Socket): void => void socket.resetAndDestroy();
const breaksOff = (socket: Socket): void => void socket.end('HTTP/1.1 200 OK\r\nconte');
const thinks = (socket: Socket): void => void setTimeout(() => socket.end(), 1_500);

/** A provider that does so on each of its connections. */
class Provider {
  connections = 0;
  readonly bodies: string[] = [];
  private readonly server: Server;

  constructor(script: (connection: number) => Script) {
    this.server = createServer((socket) => {
      const steps = [...script(++this.connections)];
      let received = '';
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        received += bytes.toString();
        const [, body] = /\r\n\r\n(.*}$)/s.exec(received) ?? [];
        if (body === undefined) return;
        received = '';
        this.bodies.push(body);
        (steps.length > 1 ? steps.shift() : steps[0])?.(socket);
      });
    });
  }

  async listen(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
  }
}

describe('a provider that closes a connection which it kept', () => {
  let pools: UpstreamPools;
  let provider: Provider;
  const again: string[] = [];

  const timeouts = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 10_000 };
  const large = Buffer.alloc(70_000, ' ');
  const body = [Buffer.from('{"a":1'), large, Buffer.from(',"b":2'), large, Buffer.from('}')];

  function send(url: string): Promise<number | UpstreamFault> {
    const endpoint = providerEndpoint(aProvider(), url, { kind: 'none' });
    return new Promise((resolve) => {
      let status = 0;
      pools.send(
        { endpoint, timeouts, path: '/chat/completions', headers: {}, body, totalMs: 10_000 },
        {
          onHead: (head) => void (status = head),
          onBytes: () => undefined,
          onEnd: () => resolve(status),
          onFault: resolve,
        },
      );
    });
  }

  async function sendTwice(script: (connection: number) => Script) {
    again.length = 0;
    pools = new UpstreamPools(1, (endpoint) => again.push(endpoint.provider.id));
    provider = new Provider(script);
    const url = await provider.listen();
    return [await send(url), await send(url)];
  }

  afterEach(async () => {
    await pools.close();
    provider.close();
  });

  it('is asked again on a new one, at once', async () => {
    expect(await sendTwice((connection) => (connection === 1 ? [answers, closes] : [answers]))).toEqual([200, 200]);
    expect(provider.connections).toBe(2);
    expect(again).toEqual([aProvider().id]);
    const whole = Buffer.concat(body).toString();
    expect(provider.bodies.map((each) => each === whole)).toEqual([true, true, true]);
  });

  it('is asked again once', async () => {
    const lost = { code: 'connection_lost', detail: 'UND_ERR_SOCKET' };
    expect(await sendTwice((connection) => (connection === 1 ? [answers, closes] : [closes]))).toEqual([200, lost]);
    expect(provider.bodies.length).toBe(3);
  });

  it.each([
    ['had begun to answer', [answers, breaksOff], 2],
    ['may have worked on it', [answers, thinks], 2],
    ['reset it, and so threw away what it had answered, perhaps', [answers, resets], 2],
    ['was never asked on that connection before', [closes], 2],
  ])('is not where it %s', async (_when, script, requests) => {
    const [, second] = await sendTwice(() => script);
    expect(second).toMatchObject({ code: 'connection_lost' });
    expect(again).toEqual([]);
    expect(provider.bodies.length).toBe(requests);
  });
});
