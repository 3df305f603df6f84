import { createHash } from 'node:crypto';
import { createServer, request as send } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { DoorSockets } from './door-sockets';

/** One request of a client, and what the gateway answered. */
export interface Visit {
  id: string;
  method: string;
  /** Without its query. */
  path: string;
  body: string;
  /** Two requests of the same fingerprint are the same request. */
  fingerprint: string;
  /** What the client itself counts as its retries. */
  retries: number;
  /** 0: nothing was answered. */
  status: number;
  model: string;
  warnings: string;
  /** The beginning of what was answered in place of an answer. */
  refusal: string;
  /** The text of an answer has begun. */
  hasText: boolean;
  /** The client left before the answer had ended. */
  isCut: boolean;
}

/** A request as it comes: `url` with its query. */
export type Asked = Pick<Visit, 'id' | 'method'> & { readonly url: string; readonly body: Buffer };

/** Paths that ask a model for an answer. */
const generationPaths = ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/responses/compact'];

/**
 * Whether a model is asked for an answer, also by a turn of a WebSocket (a POST of its own; PREPARE: it only
 * prepares the next one).
 */
export function isGeneration({ method, path }: Visit): boolean {
  return method === 'POST' && generationPaths.includes(path);
}

/**
 * Stands between clients and the gateway, as a load balancer does: passes everything on unchanged, WebSockets
 * too, with an id of each request, and keeps what it saw.
 */
export class Door {
  readonly visits: Visit[] = [];
  /** Begins the ids of requests. */
  run = 'clients';
  /** Called when the text of an answer has begun. */
  onText: (() => void) | null = null;
  private count = 0;
  private readonly open = new Set<Promise<unknown>>();

  private constructor(
    private readonly gateway: string,
    private readonly server: Server,
  ) {}

  static async open(gateway: string): Promise<Door> {
    const server = createServer();
    const door = new Door(gateway, server);
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      door.pass(incoming, outgoing).catch(() => outgoing.destroy());
    });
    const sockets = new DoorSockets(gateway, {
      onRequest: (asked, over) => door.begin(asked, over),
      onText: (visit) => door.hasText(visit),
    });
    server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
      sockets.pass(incoming, socket, head, door.nextId());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return door;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Waits until every answer that was begun has ended or was left, for at most `patienceMs`. */
  async quiet(patienceMs: number): Promise<void> {
    const patience = new AbortController();
    const late = setTimeout(patienceMs, null, { signal: patience.signal }).catch(() => null);
    await Promise.race([Promise.all(this.open), late]);
    patience.abort();
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const { method = '', headers, url = '' } = incoming;
    const over = new Promise((resolve) => outgoing.once('close', resolve));
    const visit = this.begin({ id: this.nextId(), method, url, body }, over);
    visit.retries = Number(headers['x-stainless-retry-count'] ?? 0);
    outgoing.once('close', () => (visit.isCut = !outgoing.writableFinished));
    const onward = send(this.gateway + url, { method, headers: { ...headers, 'x-request-id': visit.id } });
    outgoing.on('close', () => onward.destroy());
    onward.on('error', () => outgoing.destroy());
    onward.on('response', (answer) => {
      visit.status = answer.statusCode ?? 0;
      visit.model = String(answer.headers['x-gateway-model'] ?? '');
      visit.warnings = String(answer.headers['x-gateway-warnings'] ?? '');
      outgoing.writeHead(visit.status, answer.headers);
      const lines = new LineReader((line) => bringsText(line) && this.hasText(visit));
      answer.on('data', (bytes: Buffer) => {
        if (visit.status >= 400) visit.refusal += bytes.toString();
        else if (isGeneration(visit)) lines.read(bytes);
      });
      answer.on('error', () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    onward.end(body);
  }

  private nextId(): string {
    return `${this.run}-${++this.count}`;
  }

  private begin({ id, method, url, body }: Asked, over: Promise<unknown>): Visit {
    const [path = ''] = url.split('?');
    const fingerprint = createHash('sha256').update(`${method} ${url} `).update(body).digest('hex');
    const told = { retries: 0, status: 0, model: '', warnings: '', refusal: '', hasText: false, isCut: false };
    const visit = { id, method, path, body: body.toString('utf8'), fingerprint, ...told };
    this.visits.push(visit);
    const ended: Promise<unknown> = over.then(() => this.open.delete(ended));
    this.open.add(ended);
    return visit;
  }

  private hasText(visit: Visit): void {
    if (visit.hasText) return;
    visit.hasText = true;
    this.onText?.();
  }
}

/** Whether a line of an event stream brings text of an answer: as chat completion, message or response. */
export function bringsText(line: string): boolean {
  return /^data:.*(?:"type":"(?:text_delta|response\.output_text\.delta)"|"delta":\{(?:[^{}]*,)?"content":"[^"])/.test(
    line,
  );
}

/** Puts lines together that come in pieces. */
class LineReader {
  private rest = '';

  constructor(private readonly onLine: (line: string) => void) {}

  /** What is looked for in lines is ASCII, so that a character may be cut. */
  read(bytes: Buffer): void {
    const lines = (this.rest + bytes.toString('latin1')).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.onLine(line);
  }
}
