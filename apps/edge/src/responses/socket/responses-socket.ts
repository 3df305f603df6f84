import { GatewayError, rateLimitError, uuidv7 } from '@tollgate/contracts';
import { largeBytes } from '@tollgate/messaging';
import type { FairMemory } from '@tollgate/messaging';
import type { IncomingHttpHeaders } from 'node:http';
import type { WebSocket } from 'ws';
import { type Caller, ownerOf } from '../../callers/authenticator';
import type { BodyThreads } from '../../generation/body-threads';
import { LargeBody } from '../../generation/large-body';
import type { FramedSocket } from './framed-socket';
import { MessageRoom } from './message-room';
import type { MessageMemory } from './message-room';
import type { NearTurns, RememberedTurns } from './near-turns';
import { refusalEvent } from './socket-events';
import { SocketTurn } from './socket-turn';
import { ownMembers, readTurn, TurnRefusal } from './turn-request';
import type { TurnRequest } from './turn-request';

/** https://developers.openai.com/api/docs/guides/websocket-mode */
const mostAgeMs = 60 * 60_000;
const mostRunning = 16;
const mostLanes = 32;
/** More turns than that do not wait on one connection, whose place is taken by each. */
const mostWaiting = 64;
/** More events than that are not taken from a connection before those in front of them are dealt with. */
const mostUnread = 64;
/** A caller that neither sends nor answers for so many looks is gone. */
const mostSilentLooks = 4;
const busyRetryS = 1;
/** Whoever does not answer to a close within this time is cut off, milliseconds. */
const patienceMs = 5_000;
/** Within so long after its key was revoked it is closed, and as long after that cut off, milliseconds. */
const revokedPatienceMs = 800;

/**
 * Why a connection is closed: https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1, and 1012, 1013 of
 * https://www.iana.org/assignments/websocket/websocket.xhtml#close-code-number
 */
const closing = { over: 1000, refused: 1008, tooLarge: 1009, restart: 1012, busy: 1013 } as const;

/** What a connection works with. */
export interface ResponsesSocketParts {
  readonly ws: WebSocket;
  readonly socket: FramedSocket;
  /** Of the request that it began with. */
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  /** Of the connection; its turns have it with their number. */
  readonly requestId: string;
  readonly caller: Caller;
  readonly memory: FairMemory;
  readonly mostBytes: number;
  readonly threads: Pick<BodyThreads, 'find'>;
  readonly remembered: RememberedTurns;
  /** Answers a turn as if it had been posted. Never rejects. */
  answer(turn: Pick<SocketTurn, 'message' | 'raw'>, near: NearTurns): void;
  onClosed(): void;
}

/**
 * An event that came whole. `release`: its memory is free again, unless a request took it, as it does that of
 * a large one.
 */
interface CameEvent {
  readonly body: Buffer | LargeBody;
  readonly release: () => void;
}

/**
 * Turns of one `stream_id`, one after the other. `latest`: the response that is remembered of it; null: none.
 */
interface Lane {
  readonly waiting: { readonly asked: TurnRequest; readonly event: CameEvent }[];
  turn: SocketTurn | null;
  latest: string | null;
}

/**
 * A caller's connection, on which it asks for responses one after the other, or in lanes beside each other.
 * https://developers.openai.com/api/docs/guides/websocket-mode
 */
export class ResponsesSocket {
  private readonly id = uuidv7();
  private readonly lanes = new Map<string | null, Lane>();
  private readonly room: MessageRoom;
  private readonly oldAge: NodeJS.Timeout;
  /** Messages are read in the order in which they came. */
  private reading: Promise<void> = Promise.resolve();
  private turns = 0;
  /** Events that came, and are not dealt with. */
  private unread = 0;
  private silentLooks = 0;
  private isOld = false;
  private isDraining = false;
  private isRevoked = false;
  private isClosed = false;

  constructor(private readonly parts: ResponsesSocketParts) {
    const { ws, socket, memory, caller, mostBytes } = parts;
    this.room = new MessageRoom(memory, ownerOf(caller.key), mostBytes, {
      pause: () => ws.pause(),
      resume: () => this.readOn(),
      refuse: (why) => this.close(why === 'too large' ? closing.tooLarge : closing.busy, why),
    });
    socket.on('came', (bytes: number, isInCrumbs: boolean) => {
      this.silentLooks = 0;
      if (!isInCrumbs) return this.room.came(bytes);
      ws.pause();
      this.close(closing.refused, 'too many small fragments');
    });
    // One turn of the event loop would put a large message together. Always fragments: see `SmallFrames`.
    ws.binaryType = 'fragments';
    ws.on('message', (fragments: Buffer[]) => {
      const came = this.room.taken();
      const message = came.held && lengthOf(fragments) > largeBytes ? fragments : wholeOf(fragments);
      this.unread += 1;
      if (this.unread === mostUnread) ws.pause();
      this.reading = this.reading
        .then(() => this.take(message, came))
        .then(() => {
          this.unread -= 1;
          if (this.unread === mostUnread - 1) this.readOn();
        });
    });
    // What is wrong with a frame is told by the code that it is closed with.
    ws.on('error', () => undefined);
    ws.once('close', () => this.closed());
    this.oldAge = setTimeout(() => this.growOld(), mostAgeMs).unref();
  }

  /** The one that its key directory knows its key by. */
  get digest(): string {
    return this.parts.caller.digest;
  }

  /** Asks whether the caller is still there, and gives it up where it has not answered for long. */
  look(): void {
    if (this.isClosed || this.room.isWaiting) return;
    this.silentLooks += 1;
    if (this.silentLooks > mostSilentLooks) this.parts.ws.terminate();
    else this.parts.ws.ping();
  }

  /** Finishes what runs, and closes. What waits is to be asked for again, elsewhere. */
  drain(): void {
    this.isDraining = true;
    this.closeWhenIdle();
  }

  /** Its key may not generate any more: what runs is told so where it runs, and nothing begins. */
  revoke(): void {
    this.isRevoked = true;
    this.closeWhenIdle();
    setTimeout(() => this.closeRevoked(), revokedPatienceMs).unref();
  }

  /** Ends it at once. */
  cut(): void {
    this.parts.ws.terminate();
  }

  private async take(message: Buffer | Buffer[], came: MessageMemory): Promise<void> {
    const { memory, threads, caller } = this.parts;
    let { release } = came;
    try {
      const event = await toEvent(message, came, memory);
      ({ release } = event);
      const { body } = event;
      const places = await threads.find(caller.key, body, { members: ownMembers });
      // Nobody is there to be answered, nor to give back what waits.
      if (this.isClosed) return release();
      const asked = readTurn(body instanceof LargeBody ? body.bytes : body, places);
      const refusal = this.refusalOf(asked.lane);
      if (refusal) throw new TurnRefusal(refusal, asked.lane);
      this.laneOf(asked.lane).waiting.push({ asked, event });
      this.next();
    } catch (thrown) {
      release();
      await this.refuse(thrown);
    }
  }

  /** Resolves when that has left: who reads no refusals is not read from. */
  private refuse(thrown: unknown): Promise<void> {
    const known = thrown instanceof GatewayError ? thrown : new GatewayError(500, 'The event could not be read.');
    const [error, lane] = thrown instanceof TurnRefusal ? [thrown.error, thrown.lane] : [known, null];
    return new Promise((resolve) => this.send([refusalEvent(error, lane)], resolve));
  }

  private readOn(): void {
    if (this.unread < mostUnread && !this.room.isWaiting) this.parts.ws.resume();
  }

  /** Null: a turn of this lane may wait for its own. */
  private refusalOf(lane: string | null): GatewayError | null {
    if (this.isOld) return tooOld();
    const named = [...this.lanes.keys()].filter((name) => name !== null).length;
    if (lane !== null && named >= mostLanes && !this.lanes.has(lane)) return tooManyLanes();
    return this.waiting >= mostWaiting ? rateLimitError(busyRetryS, { limit: 'concurrency' }) : null;
  }

  private get waiting(): number {
    return [...this.lanes.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  private get running(): SocketTurn[] {
    return [...this.lanes.values()].flatMap(({ turn }) => turn ?? []);
  }

  private laneOf(name: string | null): Lane {
    const lane = this.lanes.get(name) ?? { waiting: [], turn: null, latest: null };
    this.lanes.set(name, lane);
    return lane;
  }

  private next(): void {
    if (this.isClosed || this.isDraining || this.isRevoked) return;
    for (const lane of this.lanes.values()) {
      if (lane.turn || this.running.length >= mostRunning) continue;
      const first = lane.waiting.shift();
      if (first) this.begin(lane, first.asked, first.event);
    }
  }

  private begin(lane: Lane, asked: TurnRequest, { body, release }: CameEvent): void {
    const { requestId, path, headers, socket } = this.parts;
    this.turns += 1;
    const turn = new SocketTurn({
      asked,
      body,
      requestId: `${requestId}-${this.turns}`,
      path,
      headers,
      remoteAddress: socket.remoteAddress,
      tellsHeaders: headers['x-tollgate-headers'] === 'on',
      send: (events, done) => this.send(events, done),
    });
    lane.turn = turn;
    // From here on the memory of a small one is counted as that of any request.
    if (!(body instanceof LargeBody)) release();
    void turn.over.then(() => {
      release();
      this.ended(lane, turn, asked);
    });
    this.parts.answer(turn, this.nearTo(lane));
  }

  private ended(lane: Lane, { status }: SocketTurn, { previousId }: TurnRequest): void {
    lane.turn = null;
    if (status !== null && status >= 400 && previousId !== null && lane.latest === previousId) this.forget(lane);
    // A key that does not work any more will not do so again.
    if (status === 401) return this.closeRevoked();
    this.next();
    this.closeWhenIdle();
  }

  /** Each lane has its last response remembered, from which every lane may go on. */
  private nearTo(lane: Lane): NearTurns {
    const { remembered, caller } = this.parts;
    const keyId = caller.key.id;
    return {
      find: (id) => remembered.find(this.nameOf(id)),
      keep: (id, items) => {
        if (this.isClosed) return;
        if (lane.latest !== id) this.forget(lane);
        lane.latest = id;
        remembered.keep(this.nameOf(id), { keyId, items });
      },
    };
  }

  private forget(lane: Lane): void {
    const { latest } = lane;
    lane.latest = null;
    if (latest !== null && ![...this.lanes.values()].some((other) => other.latest === latest))
      this.parts.remembered.forget(this.nameOf(latest));
  }

  private nameOf(id: string): string {
    return `${this.id} ${id}`;
  }

  private growOld(): void {
    this.isOld = true;
    if (this.running.length === 0 && this.waiting === 0) this.send([refusalEvent(tooOld(), null)]);
    this.closeWhenIdle();
  }

  private closeWhenIdle(): void {
    if (this.isClosed || this.running.length > 0) return;
    if (this.isRevoked) this.closeRevoked();
    else if (this.isDraining) this.close(closing.restart, 'the gateway restarts');
    else if (this.isOld && this.waiting === 0) this.close(closing.over, 'it is 60 minutes old');
  }

  private closeRevoked(): void {
    this.close(closing.refused, 'the key is not valid any more', revokedPatienceMs);
  }

  private close(code: number, why: string, mostMs = patienceMs): void {
    this.parts.ws.close(code, why);
    setTimeout(() => this.parts.ws.terminate(), mostMs).unref();
  }

  private send(events: readonly string[], done: () => void = () => undefined): void {
    const { ws, socket } = this.parts;
    if (events.length === 0) return done();
    socket.cork();
    for (const [index, event] of events.entries())
      ws.send(event, index === events.length - 1 ? () => done() : undefined);
    socket.uncork();
  }

  private closed(): void {
    this.isClosed = true;
    clearTimeout(this.oldAge);
    this.room.close();
    for (const lane of this.lanes.values()) {
      for (const { event } of lane.waiting.splice(0)) event.release();
      lane.turn?.leave();
      this.forget(lane);
    }
    this.parts.onClosed();
  }
}

function lengthOf(fragments: readonly Buffer[]): number {
  return fragments.reduce((sum, { length }) => sum + length, 0);
}

/** At once: until then as much lives as came with its fragments. */
function wholeOf(fragments: Buffer[]): Buffer {
  return Buffer.concat(fragments.splice(0));
}

/** Puts a large event together in turns of the event loop, where its request can have it. */
async function toEvent(
  message: Buffer | Buffer[],
  { held, release }: MessageMemory,
  memory: FairMemory,
): Promise<CameEvent> {
  if (Buffer.isBuffer(message)) return { body: message, release };
  if (!held) return { body: wholeOf(message), release };
  const body = await LargeBody.of(message, memory, held);
  return { body, release: () => body.release() };
}

/** In OpenAI's words, as those below. */
function tooOld(): GatewayError {
  const advice = 'Create a new websocket connection to continue.';
  return new GatewayError(400, `Responses websocket connection limit reached (60 minutes). ${advice}`).because(
    'websocket_connection_limit_reached',
  );
}

function tooManyLanes(): GatewayError {
  const rule = `has reached its maximum number of distinct stream IDs (${mostLanes})`;
  const advice = 'Reuse an existing stream_id or open a new WebSocket connection.';
  return new GatewayError(400, `This WebSocket connection ${rule}. ${advice}`).because(
    'websocket_stream_limit_reached',
    { param: 'stream_id' },
  );
}
