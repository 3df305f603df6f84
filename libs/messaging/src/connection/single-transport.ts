import type { ConnectionOptions, NatsConnection } from 'nats';
import { NatsConnectionImpl, NatsError, ErrorCode, setTransportFactory } from 'nats/lib/nats-base-client/internal_mod';
import { NodeTransport } from 'nats/lib/src/node_transport';
import type { Socket } from 'node:net';
import { dropPiece } from '../memory/large-buffers';
import { resolveHost } from './resolve-host';
import { chooseServers } from './server-choice';
import { takeMessagesWhole } from './whole-messages';

takeMessagesWhole();

/** How long a connection that is left on purpose has to write what it still holds, milliseconds. */
const lastWordsMs = 1_000;

/** The transport that each client uses now; a client hands the same options to all of its transports. */
const transports = new WeakMap<ConnectionOptions, SingleTransport>();

/**
 * The client library's transport, of which a client never has two. The library (2.29.3) gives up a dial that
 * takes too long but keeps its socket; when the server then greets it after all and closes it, the library
 * takes that for the loss of its real connection and makes another one beside it, so that every message comes
 * twice, for ever. Here the socket of a dial that was given up is destroyed, and so is a former socket before
 * a new one is made.
 * The library also waits for its last bytes to be written before it leaves a silent server, which never
 * happens when the send buffer is full;
 * only the system's TCP timeout, some 15 minutes, would end that. Here it has a second.
 * @see https://github.com/nats-io/nats.node/blob/v2.29.3/src/node_transport.ts `_closed`, `dial`
 */
class SingleTransport extends NodeTransport {
  /** Whoever waits for the next piece; null: nobody does. */
  private reader: ((piece: IteratorResult<Uint8Array>) => void) | null = null;

  override async connect(server: Parameters<NodeTransport['connect']>[0], options: ConnectionOptions): Promise<void> {
    transports.get(options)?.abandon();
    transports.set(options, this);
    await super.connect(server, options);
  }

  override async dial(server: Parameters<NodeTransport['dial']>[0]): Promise<Socket> {
    const socket = await super.dial(server);
    if (!this.done) return socket;
    socket.destroy();
    throw NatsError.errorForCode(ErrorCode.Timeout);
  }

  override async close(error?: Error): Promise<void> {
    if (this.connected) await super.close(error);
    else this.abandon();
  }

  override disconnect(): void {
    const socket: Socket | undefined = this.socket;
    super.disconnect();
    setTimeout(() => socket?.destroy(), lastWordsMs).unref();
  }

  /**
   * The library packs what it sends, and the system has it once it is written: nobody looks at it any more.
   * What is packed of one piece alone may be a constant, which is small. Of what cannot be written the
   * library hears at its next read.
   */
  override send(frame: Uint8Array): void {
    const socket: Socket | undefined = this.socket;
    if (this.done || !socket) return;
    socket.write(frame, (error) => {
      if (!error) dropPiece(frame);
    });
  }

  override setupHandlers(): void {
    super.setupHandlers();
    const take = (piece: Uint8Array) => {
      const { reader } = this;
      this.reader = null;
      if (reader) reader({ done: false, value: piece });
      else this.yields.push(piece);
    };
    this.socket.removeAllListeners('data').on('data', take);
  }

  /** The library's own is a generator that makes a dozen promises for each piece. */
  override iterate(): AsyncIterableIterator<Uint8Array> {
    const iterator = { next: () => this.read(), [Symbol.asyncIterator]: () => iterator };
    return iterator;
  }

  private read(): Promise<IteratorResult<Uint8Array>> {
    const piece = this.yields.shift();
    if (piece) return Promise.resolve({ done: false, value: piece });
    if (this.done) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => (this.reader = resolve));
  }

  /** Leaves the socket without a word: nobody takes its end for that of the connection. */
  private abandon(): void {
    if (this.done) return;
    this.done = true;
    this.yields.length = 0;
    this.reader?.({ done: true, value: undefined });
    const socket: Socket | undefined = this.socket;
    socket?.destroy();
  }
}

/**
 * As the client library's `connect`, with our transport. Every connection of a service is made here: the
 * library keeps one factory for all.
 */
export async function connect(options: ConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new SingleTransport(), dnsResolveFn: resolveHost });
  const connection = await NatsConnectionImpl.connect(options);
  chooseServers(connection);
  return connection;
}
