import { DenoBuffer, Parser, State } from 'nats/lib/nats-base-client/internal_mod';
import { dropPiece } from '../memory/large-buffers';

/**
 * Has the client library take memory for all of a message as soon as it knows its size. The library (2.29.3)
 * grows to what comes in several reads of its socket by doubling: 3.6 MiB of new memory for a message of one,
 * which V8 counts, and collects the whole heap for after each 64 MB. So it does what was read, whose memory
 * goes back where all of it was copied into one message.
 * @see https://github.com/nats-io/nats.node/blob/v2.29.3/nats-base-client/denobuffer.ts `_grow`
 */
export function takeMessagesWhole(): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the `this` of its call
  const { parse } = Parser.prototype;
  Parser.prototype.parse = function (this: Parser, bytes: Uint8Array): void {
    const begun = this.state === State.MSG_PAYLOAD ? this.msgBuf : undefined;
    parse.call(this, bytes);
    const { state, msgBuf, ma } = this;
    if (state === State.MSG_PAYLOAD && begun && msgBuf === begun) return dropPiece(bytes);
    if (state === State.MSG_PAYLOAD && msgBuf && msgBuf.capacity < ma.size) this.msgBuf = roomFor(ma.size, msgBuf);
  };
}

function roomFor(bytes: number, begun: DenoBuffer): DenoBuffer {
  const room = new DenoBuffer(new ArrayBuffer(bytes));
  room.reset();
  room.write(begun.bytes({ copy: false }));
  return room;
}
