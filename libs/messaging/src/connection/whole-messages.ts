import { DenoBuffer, Parser, State } from 'nats/lib/nats-base-client/internal_mod';

/**
 * Has the client library take memory for all of a message as soon as it knows its size. The library (2.29.3)
 * grows to what comes in several reads of its socket by doubling: 3.6 MiB of new memory for a message of one,
 * which V8 counts, and collects the whole heap for after each 64 MB.
 * @see https://github.com/nats-io/nats.node/blob/v2.29.3/nats-base-client/denobuffer.ts `_grow`
 */
export function takeMessagesWhole(): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the `this` of its call
  const { parse } = Parser.prototype;
  Parser.prototype.parse = function (this: Parser, bytes: Uint8Array): void {
    parse.call(this, bytes);
    const { state, msgBuf, ma } = this;
    if (state === State.MSG_PAYLOAD && msgBuf && msgBuf.capacity < ma.size) this.msgBuf = roomFor(ma.size, msgBuf);
  };
}

function roomFor(bytes: number, begun: DenoBuffer): DenoBuffer {
  const room = new DenoBuffer(new ArrayBuffer(bytes));
  room.reset();
  room.write(begun.bytes({ copy: false }));
  return room;
}
