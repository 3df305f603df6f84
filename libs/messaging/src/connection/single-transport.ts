import { Resolver } from 'node:dns/promises';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions, NatsConnection } from 'nats';
import {
  DenoBuffer,
  ErrorCode,
  NatsConnectionImpl,
  NatsError,
  Parser,
  setTransportFactory,
  State,
} from 'nats/lib/nats-base-client/internal_mod';
import { NodeTransport } from 'nats/lib/src/node_transport';
import { dropPiece } from '../memory/large-buffers';
import { chooseServers } from './server-choice';

// The library's parser is one for all connections of a process.
takeMessagesWhole();

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

/** So long nothing may come before the name servers are asked once more, milliseconds. */
const againMs = 150;
const mostQuestions = 5;

/** What is used of Node's `Resolver`. */
interface NameResolver {
  resolve4(host: string): Promise<string[]>;
  resolve6(host: string): Promise<string[]>;
  cancel(): void;
}

/**
 * The addresses of a host, those of IPv4 first; the host itself where the name servers know none, which
 * leaves it to the system (`/etc/hosts`). It never rejects.
 * The client library asks once. Where that question or its answer gets lost (UDP), as with a busy name server
 * of a cluster or of Podman, Node's resolver waits for some three seconds before it asks again, and so long
 * nobody is connected. Here the next question does not wait for the one before.
 * @see https://github.com/nats-io/nats.node/blob/v2.29.3/src/node_transport.ts `nodeResolveHost`
 */
export async function resolveHost(
  host: string,
  newResolver: () => NameResolver = () => new Resolver(),
): Promise<string[]> {
  const resolvers: NameResolver[] = [];
  const questions: Promise<string[]>[] = [];
  let answer: string[] | null = null;
  while (answer === null && resolvers.length < mostQuestions) {
    // Each asks from a socket of its own.
    const resolver = newResolver();
    resolvers.push(resolver);
    questions.push(addresses(resolver, host));
    answer = await Promise.race([...questions, sleep(againMs, null, { ref: false })]);
  }
  answer ??= await Promise.race(questions);
  for (const resolver of resolvers) resolver.cancel();
  return answer.length > 0 ? answer : [host];
}

async function addresses(resolver: NameResolver, host: string): Promise<string[]> {
  const told = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return told.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}

/**
 * Has the client library take memory for all of a message as soon as it knows its size. The library (2.29.3)
 * grows to what comes in several reads of its socket by doubling: 3.6 MiB of new memory for a message of one,
 * which V8 counts, and collects the whole heap for after each 64 MB. So it does what was read, whose memory
 * goes back where all of it was copied into one message.
 * @see https://github.com/nats-io/nats.node/blob/v2.29.3/nats-base-client/denobuffer.ts `_grow`
 */
function takeMessagesWhole(): void {
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
