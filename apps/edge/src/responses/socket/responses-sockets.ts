import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { WebSocketServer, type WebSocket } from 'ws';
import { GatewayError, rateLimitError } from '@tollgate/contracts';
import { openaiResponsesSurface } from '@tollgate/dialects/surface';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { EventLoopTurns } from '@tollgate/messaging';
import { Admission } from '../../admission/admission';
import type { Caller } from '../../callers/authenticator';
import { KeyDirectory } from '../../callers/key-directory';
import { OpenByKey } from '../../callers/open-by-key';
import { EdgeMetrics } from '../../edge-metrics';
import { errorHeaders, errorText, lastAnswer } from '../../errors/error-reply';
import { Refusals } from '../../errors/refusals';
import { errorToTell } from '../../errors/to-gateway-error';
import { BodyThreads } from '../../generation/body-threads';
import { GenerationEndpoint } from '../../generation/generation-endpoint';
import { plainPath } from '../../generation/generation-routes';
import { operationAt } from '../../generation/operations';
import { RequestReader } from '../../generation/request-reader';
import {
  type RequestContext,
  contextOf,
  RequestContexts,
  setContext,
  ResponseHeaders,
} from '../../http/request-context';
import { Settings } from '../../settings';
import { FramedSocket } from './framed-socket';
import { RememberedTurns } from './near-turns';
import { ResponsesSocket } from './responses-socket';

/** So many are looked at in a turn of the event loop: a ping is a write, some hundredths of a millisecond. */
const mostLooks = 16;

/** Looks after the sockets that are open, in turns of the event loop: thousands at once would hold it up. */
export class SocketLooks {
  private readonly turns = new EventLoopTurns(mostLooks);
  private left = 0;

  constructor(private readonly sockets: { forEach(each: (socket: { look(): void }) => void): void }) {}

  /** Looks at each of them once; nothing, while some wait from the time before. */
  begin(): void {
    if (this.left > 0) return;
    this.sockets.forEach((socket) => {
      this.left += 1;
      this.turns.next(() => {
        this.left -= 1;
        socket.look();
      });
    });
  }
}

const { path } = openaiResponsesSurface;
const operation = operationAt(path);
/** One key takes so large a part of the connections that there may be. */
const keyShare = 4;
const crowdedRetryS = 1;

interface Opening {
  readonly caller: Caller;
  readonly context: RequestContext;
}

/**
 * Responses over WebSocket: https://developers.openai.com/api/docs/guides/websocket-mode. Each turn goes the
 * way of a posted request, with the headers that its connection began with.
 */
@Injectable()
export class ResponsesSockets implements OnApplicationBootstrap {
  private readonly server: WebSocketServer;
  private readonly sockets: OpenByKey<ResponsesSocket>;
  private looking: NodeJS.Timeout | undefined;
  private isDraining = false;

  constructor(
    private readonly endpoint: GenerationEndpoint,
    private readonly contexts: RequestContexts,
    private readonly admission: Admission,
    private readonly reader: RequestReader,
    private readonly threads: BodyThreads,
    private readonly remembered: RememberedTurns,
    private readonly headers: ResponseHeaders,
    private readonly refusals: Refusals,
    private readonly metrics: EdgeMetrics,
    private readonly settings: Settings,
    directory: KeyDirectory,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.sockets = new OpenByKey(directory, (socket) => socket.revoke());
    this.server = new WebSocketServer({
      noServer: true,
      // What is compressed would need memory that nobody has counted.
      perMessageDeflate: false,
      // Nor are thousands of small events read in one turn of the event loop.
      allowSynchronousEvents: false,
      maxPayload: settings.bodyLimit,
    });
    this.server.on('headers', (lines, message) => {
      const context = contextOf(message);
      for (const [name, value] of Object.entries(context ? headers.ofLast(context) : {}))
        lines.push(`${name}: ${value}`);
    });
  }

  onApplicationBootstrap(): void {
    const looks = new SocketLooks(this.sockets);
    this.looking = setInterval(() => looks.begin(), this.settings.keepAliveMs).unref();
  }

  /** Takes a connection whose caller wants to speak WebSocket here; false: it wants something else. */
  take(message: IncomingMessage, socket: Socket, head: Buffer): boolean {
    const { method, url = '', headers } = message;
    if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket' || plainPath(url) !== path) return false;
    void this.open(message, socket, head);
    return true;
  }

  /** Takes no more, and has those that there are finish what runs. */
  drain(): void {
    this.isDraining = true;
    this.sockets.forEach((socket) => socket.drain());
  }

  /** Cuts what is left. */
  cut(): void {
    clearInterval(this.looking);
    this.sockets.forEach((socket) => socket.cut());
  }

  /** Never rejects. */
  private async open(message: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const context = this.contexts.begin(message);
    setContext(message, context);
    const left = () => socket.destroy();
    socket.on('error', left);
    try {
      const { caller } = await this.admission.admit(message.headers, context);
      if (this.isDraining) throw new GatewayError(503, 'The gateway restarts; connect again.', crowdedRetryS);
      if (this.sockets.countOf(caller.digest) >= Math.max(1, Math.floor(this.settings.maxConnections / keyShare)))
        throw rateLimitError(crowdedRetryS, { limit: 'concurrency' });
      socket.off('error', left);
      const framed = new FramedSocket(socket, head, this.settings.bodyLimit);
      const opened = (ws: WebSocket) => this.opened(ws, message, framed, { caller, context });
      this.server.handleUpgrade(message, framed, Buffer.alloc(0), opened);
    } catch (thrown) {
      this.refuse(thrown, socket, context);
    }
  }

  private opened(ws: WebSocket, message: IncomingMessage, framed: FramedSocket, { caller, context }: Opening): void {
    this.metrics.answered(path, 101, context.elapsedMs(), context.overheadMs());
    const socket: ResponsesSocket = new ResponsesSocket({
      ws,
      socket: framed,
      headers: message.headers,
      path,
      requestId: context.requestId,
      caller,
      memory: this.reader.memory,
      mostBytes: this.settings.bodyLimit,
      threads: this.threads,
      remembered: this.remembered,
      answer: (turn, near) => {
        const begun = this.contexts.begin(turn.message);
        void this.endpoint.handle(operation, turn.message, turn.raw, begun, { near });
      },
      onClosed: () => void this.sockets.remove(socket),
    });
    this.sockets.add(socket);
    if (this.isDraining) socket.drain();
  }

  private refuse(thrown: unknown, socket: Socket, context: RequestContext): void {
    const error = errorToTell(thrown, this.logger, context.requestId, 'a WebSocket could not be opened');
    this.refusals.note(error, path, context);
    this.metrics.answered(path, error.status, context.elapsedMs(), context.overheadMs());
    const headers = { ...this.headers.ofLast(context), ...errorHeaders(error, { program: context.program }) };
    socket.end(lastAnswer(error, errorText(error, path, context.requestId), headers));
  }
}
