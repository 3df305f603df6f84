import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Pause } from '../control/pause';
import { newRow } from '../ledger/new-row';
import { Connection } from './connection';

const mebibyte = 1_048_576;

/** A response whose peer takes everything at once. `mostInATurn`: bytes, of the event loop. */
class FakeResponse extends EventEmitter {
  readonly destroyed = false;
  readonly closed = false;
  length = 0;
  announced = '';
  mostInATurn = 0;
  private inThisTurn = 0;

  writeHead(_status: number, headers: Record<string, string>): void {
    this.announced = headers['content-length'] ?? '';
  }

  write(bytes: string | Uint8Array): boolean {
    if (this.inThisTurn === 0) setImmediate(() => (this.inThisTurn = 0));
    this.inThisTurn += bytes.length;
    this.mostInATurn = Math.max(this.mostInATurn, this.inThisTurn);
    this.length += bytes.length;
    return true;
  }

  end(bytes: string): void {
    this.write(bytes);
  }
}

it('writes an answer of many megabytes a little in each turn of the event loop, as its length announces', async () => {
  const response = new FakeResponse();
  const connection = new Connection(response as unknown as ServerResponse, new Pause(), newRow(undefined));
  await connection.answer(200, {}, '{"id":"x"}', 3, 'completed', 0, 30 * mebibyte);
  expect([response.length, response.announced]).toEqual([30 * mebibyte + 10, `${30 * mebibyte + 10}`]);
  expect(response.mostInATurn).toBeLessThan(mebibyte);
  expect(connection.row).toMatchObject({ outputTokens: 3, state: 'completed', chunks: 0 });
});
