import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import type { Asked, Visit } from './door';

const asked = z.object({ type: z.literal('response.create'), model: z.string(), generate: z.boolean().optional() });
const heard = z.object({
  type: z.string(),
  status: z.number().optional(),
  headers: z.record(z.string(), z.string()).optional(),
});
const endings = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);
/** Those of one connection, which the one behind it makes anew. */
const connectionHeaders = /^(?:host|connection|upgrade|sec-websocket-.+)$/;

/** What a door is told of connections and of the turns that are asked for on them. */
interface SocketListener {
  /** A request has come, which is over when the promise resolves. Returns where to note what becomes of it. */
  onRequest(asked: Asked, over: Promise<unknown>): Visit;
  onText(visit: Visit): void;
}

/** Passes WebSockets on to a gateway, message by message, and tells each turn as a visit of its own. */
export class DoorSockets {
  private readonly server = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  constructor(
    private readonly gateway: string,
    private readonly listener: SocketListener,
  ) {}

  /** `id`: of the connection's own request, which those of its turns begin with. */
  pass(incoming: IncomingMessage, socket: Socket, head: Buffer, id: string): void {
    const { method = '', url = '' } = incoming;
    const over = new Promise((resolve) => socket.once('close', resolve));
    const visit = this.listener.onRequest({ id, method, url, body: Buffer.alloc(0) }, over);
    const own = Object.entries(incoming.headers).filter(([name]) => !connectionHeaders.test(name));
    const onward = new WebSocket(this.gateway.replace('http', 'ws') + url, {
      headers: { ...Object.fromEntries(own), 'x-request-id': id },
      perMessageDeflate: false,
    });
    socket.once('error', () => onward.terminate());
    onward.once('error', () => socket.destroy());
    onward.once('unexpected-response', (_request, answer) => void refuse(visit, answer, socket));
    onward.once('open', () => {
      visit.status = 101;
      this.server.handleUpgrade(incoming, socket, head, (client) => new Spoken(client, onward, id, this.listener));
    });
  }
}

async function refuse(visit: Visit, answer: IncomingMessage, socket: Socket): Promise<void> {
  const body = await buffer(answer);
  visit.status = answer.statusCode ?? 0;
  visit.refusal = body.toString('utf8');
  const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}`);
  socket.end(`HTTP/1.1 ${visit.status} ${answer.statusMessage}\r\n${lines.join('\r\n')}\r\n\r\n${visit.refusal}`);
}

/** One connection: its turns come one after the other. */
class Spoken {
  private readonly waiting: { readonly visit: Visit; readonly over: () => void }[] = [];
  private turns = 0;

  constructor(
    client: WebSocket,
    gateway: WebSocket,
    private readonly id: string,
    private readonly listener: SocketListener,
  ) {
    client.on('message', (data: Buffer, binary) => {
      this.asked(data);
      gateway.send(data, { binary });
    });
    gateway.on('message', (data: Buffer, binary) => {
      this.heard(data.toString('utf8'));
      client.send(data, { binary });
    });
    client.once('close', (code) => this.closed(() => gateway.close(...closing(code))));
    gateway.once('close', (code, reason) => this.closed(() => client.close(...closing(code), reason)));
    client.on('error', () => gateway.terminate());
    gateway.on('error', () => client.terminate());
  }

  private asked(body: Buffer): void {
    const turn = asked.safeParse(JSON.parse(body.toString('utf8')));
    if (!turn.success) return;
    const { model, generate = true } = turn.data;
    const id = `${this.id}-${++this.turns}`;
    const method = generate ? 'POST' : 'PREPARE';
    let over: () => void = () => undefined;
    const isOver = new Promise<void>((resolve) => (over = resolve));
    const visit = this.listener.onRequest({ id, method, url: '/v1/responses', body }, isOver);
    visit.model = model;
    this.waiting.push({ visit, over });
  }

  private heard(text: string): void {
    const [first] = this.waiting;
    if (!first) return;
    const { visit } = first;
    const { type, status = 500, headers = {} } = heard.parse(JSON.parse(text));
    if (type === 'response.metadata') visit.warnings = headers['x-gateway-warnings'] ?? '';
    if (type === 'error') visit.refusal = text;
    if (visit.status === 0) visit.status = type === 'error' ? status : 200;
    if (type === 'response.output_text.delta') this.listener.onText(visit);
    if (endings.has(type)) this.waiting.shift()?.over();
  }

  private closed(closeOther: () => void): void {
    for (const { visit, over } of this.waiting.splice(0)) {
      visit.isCut = true;
      over();
    }
    closeOther();
  }
}

/** A code that may be sent on: https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
function closing(code: number): [number] | [] {
  return code === 1005 || code === 1006 ? [] : [code];
}
