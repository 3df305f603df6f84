import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { WebSocketServer } from 'ws';
import { asking, playAttack } from './attack';
import { Attacker } from './attacker';
import { keptAttacks } from './attacks/kept';
import { socketAttacks } from './attacks/sockets';

let server: Server;

async function attackerOf(answer: RequestListener): Promise<Attacker> {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return new Attacker({
    baseUrl: `http://127.0.0.1:${port}`,
    models: ['m'],
    allModels: ['m'],
    embeddingModel: 'e',
    keys: { open: 'open', several: [], limited: '', spent: '', cached: '' },
    directoryToken: '',
    keyId: '',
    person: {},
  });
}

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const never = new AbortController().signal;

it('makes again what was refused when it was made first', async () => {
  let asked = 0;
  const attacker = await attackerOf((request, response) => {
    request.resume().once('end', () => {
      response.statusCode = ++asked === 1 ? 429 : 200;
      response.end(JSON.stringify(asked === 1 ? { error: {} } : { id: 'conv_1' }));
    });
  });
  const attack = keptAttacks.find(({ name }) => name.includes('two at once'));
  await expect(attack?.act(attacker, 0, never)).rejects.toThrow(/id/);
  await expect(attack?.act(attacker, 1, never)).resolves.toBe('200');
  expect(asked).toBe(3);
});

it('cancels what is called cancelled', async () => {
  const asked: string[] = [];
  const attacker = await attackerOf((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume().once('end', () => response.end('{"id":"resp_1"}'));
  });
  await keptAttacks.find(({ name }) => name.includes('cancelled'))?.act(attacker, 0, never);
  expect(asked).toEqual(['POST /v1/responses', 'POST /v1/responses/resp_1/cancel']);
});

it('plays an attack of requests until one was answered, on a machine that takes long for it', async () => {
  let answer = (): void => undefined;
  const attacker = await attackerOf((_request, response) => (answer = () => response.end()));
  const playing = playAttack(
    asking('slow', { atOnce: 1, perSecond: 100 }, () => ({})),
    attacker,
    1,
  );
  await once(server, 'request');
  answer();
  expect(await playing).toEqual({ '200': 1 });
});

describe('a WebSocket', () => {
  const saying = async (events: readonly string[], piece: string): Promise<string | undefined> => {
    const attacker = await attackerOf((_request, response) => response.end());
    new WebSocketServer({ server }).on('connection', (ws) => {
      ws.once('message', () => {
        for (const event of events) ws.send(event);
        ws.close();
      });
    });
    return socketAttacks.find(({ name }) => name.includes(piece))?.act(attacker, 0, never);
  };
  const created = '{"type":"response.created","response":{"error":null}}';

  it.each([
    ['101', []],
    ['created', [created]],
    ['completed', [created, '{"type":"response.completed"}', '{"type":"error","status":429}']],
    ['error', ['{"stream_id":"lane-1","type":"error","status":400}', created]],
  ])('tells %s of its first turn', async (ending, events) => {
    expect(await saying(events, 'turns of 29 MiB')).toBe(ending);
  });
});

it('tells the status that a WebSocket was refused with', async () => {
  const attacker = await attackerOf((_request, response) => response.end());
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n'));
  expect(await socketAttacks[0]?.act(attacker, 0, never)).toBe('503');
});
