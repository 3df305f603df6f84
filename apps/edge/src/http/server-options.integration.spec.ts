import { eventually } from '@tollgate/testing';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect, Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { refuseUnreadable } from './server-options';

/** A server whose times are a tenth of the public one's. */
let server: Server;
let port: number;
beforeAll(async () => {
  const times = { headersTimeout: 1_500, requestTimeout: 5_000, connectionsCheckingInterval: 100 };
  server = createServer(times, (request, response) => {
    response.write('the first part');
    if (request.url === '/whole') response.end();
  });
  server.on('clientError', refuseUnreadable);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/**
 * Everything that comes back on a connection until the server closes it. `more` is sent once the answer has
 * begun.
 */
async function answerTo(bytes: string, more = ''): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let isOver = false;
  socket.on('data', (chunk: Buffer) => {
    if (text === '') socket.write(more);
    text += chunk.toString();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => (isOver = true));
  socket.write(bytes);
  await eventually(() => isOver);
  return text;
}

it('closes a connection that was opened ahead and not used without a word: it would be taken for an answer', async () => {
  expect(await answerTo('')).toBe('');
});

it('says 408 to a request that does not arrive, which clients send again', async () => {
  const text = await answerTo('GET / HTTP/1.1\r\nHost: x\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(text).not.toContain('x-should-retry');
  expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ error: { type: 'timeout_error', code: 408 } });
});

it('says 400 to what is no request', async () => {
  expect(await answerTo('what?\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
});

it('puts no second answer into one that has begun', async () => {
  const text = await answerTo('GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'what?\r\n\r\n');
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
});

it('answers what is no request behind a whole answer', async () => {
  const text = await answerTo('GET /whole HTTP/1.1\r\nHost: x\r\n\r\n', 'what?\r\n\r\n');
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
});

it('deals with a few in a turn of the event loop that break off, however many do at once', async () => {
  const sockets = Array.from({ length: 100 }, () => new Socket());
  const brokenOff = Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_EOF_STATE' });
  for (const socket of sockets) refuseUnreadable.call(server, brokenOff, socket);
  const gone = () => sockets.filter(({ destroyed }) => destroyed).length;
  const inTurns = [gone()];
  for (let before = gone(); before < sockets.length; before = gone()) {
    await nextTurn();
    inTurns.push(gone() - before);
  }
  expect(inTurns).toEqual([16, 16, 16, 16, 16, 16, 4]);
});
