import { freePort, goodChat, silence, startScriptedUpstream, type ScriptedUpstream } from '@tollgate/testing';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { askServer } from '../discovery/ask-server';
import { RouteTable } from '../routing/route-table';
import { aModel, aProvider, aSnapshot, someCredentials } from '../testing/fixtures';
import { providerEndpoint, type ProviderEndpoint } from './provider-endpoint';
import type { RequestAuthorizer, RequestToAuthorize } from './request-authorizer';
import type { UpstreamFault } from './upstream-fault';
import { UpstreamPools } from './upstream-pools';

describe('the connections to providers', () => {
  let upstream: ScriptedUpstream;
  let pools: UpstreamPools;

  beforeEach(async () => {
    upstream = await startScriptedUpstream(goodChat());
  });

  afterEach(async () => {
    await pools.close();
    await upstream.stop();
  });

  const timeouts = { connectMs: 10_000, firstByteMs: 30_000, idleMs: 30_000, totalMs: 30_000 };

  function endpointAt(url: string): ProviderEndpoint {
    return providerEndpoint(aProvider(), url, { kind: 'none' });
  }

  /** Sends a request. Resolves with its status, or with what broke. */
  function send(
    endpoint: ProviderEndpoint,
    totalMs = 30_000,
    connectMs = 10_000,
    body: readonly Uint8Array[] = [Buffer.from('{}')],
  ): Promise<number | UpstreamFault> {
    return new Promise((resolve) => {
      let status = 0;
      pools.send(
        {
          endpoint,
          timeouts: { ...timeouts, connectMs },
          path: '/chat/completions',
          headers: {},
          body,
          totalMs,
        },
        {
          onHead: (head) => void (status = head),
          onBytes: () => undefined,
          onEnd: () => resolve(status),
          onFault: resolve,
        },
      );
    });
  }

  it('tell a provider that is not there', async () => {
    pools = new UpstreamPools(1);
    const nobodyAt = `http://127.0.0.1:${await freePort()}`;
    expect(await send(endpointAt(nobodyAt))).toEqual({ code: 'connect_failed', detail: 'ECONNREFUSED' });
  });

  it.each([
    ['no HTTP', 'SSH-2.0-server\r\n\r\n', 'bad_http', 'HTTPParserError'],
    [
      'HTTP whose pieces are not told as such',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      'bad_http',
      'HTTPParserError',
    ],
    [
      'HTTP that ends before it is whole',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{',
      'connection_lost',
      'HPE_INVALID_EOF_STATE',
    ],
  ])('tell of a provider that speaks %s', async (_what, words, code, detail) => {
    pools = new UpstreamPools(1);
    upstream.script = ({ response }) => void response.socket?.end(words);
    expect(await send(endpointAt(upstream.url))).toEqual({ code, detail });
  });

  describe('for a large body in pieces', () => {
    const picture = Buffer.from(new SharedArrayBuffer(6 * 1024 * 1024)).fill('A');
    const [begin, between, end] = ['{"a":"', '","b":"', '"}'].map((text) => Buffer.from(text)) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const pieces = [begin, picture, between, picture, end];

    it('send it whole, with its length', async () => {
      pools = new UpstreamPools(1);
      expect(await send(endpointAt(upstream.url), 30_000, 10_000, pieces)).toBe(200);
      const [visit] = upstream.visits;
      expect(visit?.headers['content-length']).toBe(String(2 * picture.length + 15));
      expect(visit?.body.equals(Buffer.concat(pieces))).toBe(true);
    });

    it('hear a provider that answers before it has read all of it, and closes', async () => {
      pools = new UpstreamPools(1);
      const hasty = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () =>
          socket.end('HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
        );
        socket.once('data', () => socket.destroySoon());
      });
      await once(hasty.listen(0, '127.0.0.1'), 'listening');
      const { port } = hasty.address() as AddressInfo;
      const endings = [];
      for (let time = 0; time < 5; time++)
        endings.push(await send(endpointAt(`http://127.0.0.1:${port}`), 30_000, 10_000, pieces));
      expect(endings).toEqual([413, 413, 413, 413, 413]);
      hasty.close();
    });
  });

  describe('to a provider that is set without the environment', () => {
    /** A name, which is looked up, of this machine. */
    const endpointTo = (internetOnly: boolean) =>
      providerEndpoint(
        aProvider({ isLive: true }),
        upstream.url.replace('127.0.0.1', 'localhost'),
        ...([{ kind: 'none' }, null, false, internetOnly] as const),
      );

    it.each([
      [true, 0],
      [false, 1],
    ])('lead to the internet alone, unless its host is trusted: %s', async (internetOnly, connections) => {
      pools = new UpstreamPools(1);
      const answer = await send(endpointTo(internetOnly));
      expect([answer, upstream.connections]).toEqual([
        internetOnly ? expect.objectContaining({ code: 'connect_failed' }) : 200,
        connections,
      ]);
    });

    it.each([
      [true, 0],
      [false, 1],
    ])('do so when its list is read: %s', async (internetOnly, connections) => {
      pools = new UpstreamPools(1);
      const asked = askServer(endpointTo(internetOnly), '/chat/completions', 30_000, {});
      const status = await asked.then(
        (answer) => answer.status,
        () => null,
      );
      expect([status, upstream.connections]).toEqual([internetOnly ? null : 200, connections]);
    });

    it('is so wherever nobody says otherwise, and follows what its credentials say in routes', () => {
      const provider = aProvider({ isLive: true, baseUrl: upstream.url });
      expect(providerEndpoint(provider, upstream.url, { kind: 'none' }).internetOnly).toBe(true);
      const internetOnlyOf = (bounds: { internetOnly?: boolean }) => {
        const access = { simulated: false, baseUrl: upstream.url, credential: { kind: 'none' } as const, ...bounds };
        const credentials = { ...someCredentials([], {}), access: new Map([['acme', access]]) };
        return new RouteTable(aSnapshot([provider], [aModel()]), credentials, null)
          .ownRoutes('acme/one', 'key')
          .map(({ endpoint }) => endpoint.internetOnly);
      };
      expect([internetOnlyOf({ internetOnly: true }), internetOnlyOf({})]).toEqual([[true], [false]]);
    });
  });

  it('wait for a free connection no longer than the connect limit', async () => {
    pools = new UpstreamPools(1);
    upstream.script = silence;
    const endpoint = endpointAt(upstream.url);
    void send(endpoint);
    await upstream.visited(1);
    expect(await send(endpoint, 30_000, 200)).toEqual({ code: 'connect_timeout', detail: null });
    expect(upstream.visits).toHaveLength(1);
  });

  it('end with the whole time of the attempt', async () => {
    pools = new UpstreamPools(10);
    upstream.script = goodChat({ paceMs: 50 });
    const body = Buffer.from('{"stream":true}');
    const fault = await new Promise<UpstreamFault>((onFault) => {
      const listener = { onHead: () => undefined, onBytes: () => undefined, onEnd: () => undefined, onFault };
      const endpoint = endpointAt(upstream.url);
      pools.send({ endpoint, timeouts, path: '/', headers: {}, body: [body], totalMs: 200 }, listener);
    });
    expect(fault).toEqual({ code: 'total_timeout', detail: null });
  });

  it('of a provider that left the catalog are closed once what runs on them has ended', async () => {
    pools = new UpstreamPools(10);
    upstream.script = async (visit) => {
      pools.retain([]);
      await goodChat({ paceMs: 5 })(visit);
    };
    expect(await send(endpointAt(upstream.url))).toBe(200);
    const visit = await upstream.visited(1);
    await visit.closed;
    upstream.script = goodChat();
    expect(await send(endpointAt(upstream.url))).toBe(200);
    expect(upstream.connections).toBe(2);
  });

  describe('of a provider whose requests are authorized one by one', () => {
    function authorizedBy(authorize: RequestAuthorizer['authorize']): ProviderEndpoint {
      return { ...endpointAt(`${upstream.url}/base`), authorizer: { authorize } };
    }

    it.each<[string, RequestAuthorizer['authorize']]>([
      ['at once', () => ({ authorization: 'Bearer token' })],
      ['after a wait', async () => ({ authorization: 'Bearer token' })],
    ])('carry what was added %s, for the whole path and body', async (_when, authorize) => {
      pools = new UpstreamPools(1);
      const seen: RequestToAuthorize[] = [];
      const endpoint = authorizedBy((request) => {
        seen.push(request);
        return authorize(request);
      });
      expect(await send(endpoint)).toBe(200);
      expect(upstream.visits[0]?.headers.authorization).toBe('Bearer token');
      const [request] = seen;
      expect(request).toMatchObject({ origin: upstream.url, path: '/base/chat/completions' });
      expect(Buffer.concat(request?.body ?? []).toString()).toBe('{}');
    });

    it('send nothing without a credential that works', async () => {
      pools = new UpstreamPools(1);
      const fault = await send(authorizedBy(() => Promise.reject(new TypeError('no token'))));
      expect(fault).toEqual({ code: 'credentials_failed', detail: 'TypeError' });
      expect(upstream.visits).toHaveLength(0);
    });

    it('wait for a credential no longer than for a connection, and send nothing afterwards', async () => {
      pools = new UpstreamPools(1);
      let give: (headers: Record<string, string>) => void = () => undefined;
      const late = authorizedBy(() => new Promise((resolve) => (give = resolve)));
      expect(await send(late, 30_000, 50)).toEqual({ code: 'connect_timeout', detail: null });
      give({});
      expect(await send(endpointAt(upstream.url))).toBe(200);
      expect(upstream.visits).toHaveLength(1);
    });
  });
});
