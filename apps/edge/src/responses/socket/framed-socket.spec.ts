import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { FramedSocket } from './framed-socket';

it('tells what came of messages before it is read', async () => {
  const socket = Object.assign(new PassThrough(), { setTimeout: () => undefined, setNoDelay: () => undefined });
  const head = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);
  const framed = new FramedSocket(socket as unknown as Socket, head, 1_000);
  const told: unknown[] = [];
  framed.on('came', (bytes: number, isInCrumbs: boolean) => told.push([bytes, isInCrumbs]));
  framed.on('data', (bytes: Buffer) => told.push(bytes.length));
  const frame = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x7b]);
  await new Promise((resolve) => setImmediate(resolve));
  socket.write(frame);
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual([[0, false], head.length, [frame.length, false], frame.length]);
  framed.destroy();
});
