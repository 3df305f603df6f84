import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { takeUpgrades } from './upgrades';

/** A connection as far as it is looked at here. */
class Connection extends EventEmitter {
  writable = true;

  destroy(): void {
    this.writable = false;
  }
}

/** So many connections that ask for another protocol in one turn, and which of them were taken. */
async function askTogether(count: number) {
  // None of what others began in this turn counts.
  await nextTurn();
  const taken: number[] = [];
  const server = createServer();
  takeUpgrades(server, false, ({ url = '' }: IncomingMessage) => taken.push(Number(url.slice(1))) > 0);
  const connections = Array.from({ length: count }, () => new Connection());
  for (const [number, connection] of connections.entries())
    server.emit('upgrade', { url: `/${number}`, headers: {} }, connection, Buffer.alloc(0));
  return { connections, taken };
}

it('begins a few in a turn of those that come together, in their order', async () => {
  const { taken } = await askTogether(100);
  const perTurn = [taken.length];
  for (let before = taken.length; before < 100; before = taken.length) {
    await nextTurn();
    perTurn.push(taken.length - before);
  }
  expect(Math.max(...perTurn)).toBe(16);
  expect(taken).toEqual(Array.from({ length: 100 }, (_, number) => number));
});

it('begins nothing for who has left while it waited, and hears how it left', async () => {
  const { connections, taken } = await askTogether(20);
  connections[18]?.emit('error', new Error('ECONNRESET'));
  while (taken.length < 19) await nextTurn();
  await nextTurn();
  expect(taken).not.toContain(18);
  expect(taken).toHaveLength(19);
  expect(connections[18]?.writable).toBe(false);
  expect(connections[0]?.listenerCount('error')).toBe(0);
});
