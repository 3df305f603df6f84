import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import WebSocket from 'ws';

/**
 * Who attacks: one account with keys of several kinds, and a person at the dashboard, whose account is
 * another.
 */
export interface AttackerMeans {
  baseUrl: string;
  /** The victim's models, and one of every dialect. */
  models: readonly string[];
  allModels: readonly string[];
  embeddingModel: string;
  keys: {
    /** Without limits: one, and several. */
    open: string;
    several: readonly string[];
    /** 60 requests a minute. */
    limited: string;
    /** A thousand tokens a month. */
    spent: string;
    /** Its answers are kept in the cache. */
    cached: string;
  };
  keyId: string;
  /** A token of the directory of the account, which provisions its people. */
  directoryToken: string;
  /** Headers of the person's browser. */
  person: Record<string, string>;
}

/** One request over HTTP. `key` null: none is sent. */
export interface Ask {
  method?: 'GET' | 'POST' | 'DELETE';
  path?: string;
  key?: string | null;
  headers?: Record<string, string>;
  body?: string | Uint8Array | object;
  /** Leaves after this time, or after so many bytes of the answer. */
  leaveAfterMs?: number;
  leaveAfterBytes?: number;
}

/** Bytes on a connection of its own. */
export interface Wire {
  first: string | Uint8Array;
  /** Sent again and again, so often. */
  then?: { bytes: string; everyMs: number };
  /** False: what comes is never read. */
  reads?: boolean;
  /** How long the connection is kept. */
  holdMs: number;
  /** Others would send their requests over the same connection: it is told whether they can. */
  shared?: boolean;
}

const chatPath = '/v1/chat/completions';
const connections = 600;
/** What an event over WebSocket tells of a turn. */
const turnTold = /"type":"(?:response\.)?(created|completed|incomplete|failed|error)"/;

/** The status of an answer, and whether others may come behind it on its connection. */
function beginning(bytes: Buffer, shared: boolean): string {
  const status = bytes.toString('latin1', 9, 12);
  return shared && !/^connection: close\r$/im.test(bytes.toString('latin1')) ? `${status}, kept` : status;
}

/** Does what attacks say, in a process of its own, so that its work does not slow the victim's clock. */
export class Attacker {
  private readonly agent = new Agent({ connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

  constructor(readonly means: AttackerMeans) {}

  /** One of the victim's models. */
  model(number: number): string {
    return this.means.models[number % this.means.models.length] ?? '';
  }

  /** The body of a chat with one of the victim's models. `controls` are for the simulated provider. */
  chat(number: number, controls: string, more: object = {}): object {
    const content = `Neighbour ${number}. [[sandbox: ${controls}]]`;
    return { model: this.model(number), messages: [{ role: 'user', content }], ...more };
  }

  /**
   * Sends a request, reads its answer to the end, and tells its status; `left` when it left as it was asked
   * to.
   */
  async ask(ask: Ask, end: AbortSignal): Promise<string> {
    const left = new AbortController();
    const timer = ask.leaveAfterMs === undefined ? undefined : setTimeout(() => left.abort(), ask.leaveAfterMs);
    try {
      const { statusCode, body: answer } = await this.send(ask, AbortSignal.any([end, left.signal]));
      let bytes = 0;
      for await (const piece of answer) {
        bytes += piece instanceof Uint8Array ? piece.byteLength : 0;
        if (bytes >= (ask.leaveAfterBytes ?? Infinity)) left.abort();
      }
      return String(statusCode);
    } catch (error) {
      if (left.signal.aborted) return 'left';
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The JSON that a request is answered with. @throws Error where it is none */
  async read(ask: Ask, end: AbortSignal): Promise<unknown> {
    return (await this.send(ask, end)).body.json();
  }

  /** What a request is answered with, as text. */
  async text(ask: Ask, end: AbortSignal): Promise<string> {
    return (await this.send(ask, end)).body.text();
  }

  /**
   * Writes bytes, and tells how the first answer begins, or that none came; of a `shared` one, whether its
   * connection is kept, behind what it was refused with.
   */
  async wire({ first, then, reads = true, holdMs, shared = false }: Wire, end: AbortSignal): Promise<string> {
    const { hostname, port } = new URL(this.means.baseUrl);
    const socket = connect({ host: hostname, port: Number(port) });
    let ending = 'no answer';
    const closed = once(socket, 'close').catch(() => undefined);
    socket.on('error', (error) => (ending = 'code' in error ? String(error.code) : 'broken'));
    if (reads) socket.on('data', (bytes) => (ending = ending === 'no answer' ? beginning(bytes, shared) : ending));
    else socket.pause();
    socket.write(first);
    const timer = then && setInterval(() => socket.write(then.bytes), then.everyMs);
    const over = AbortSignal.any([end, AbortSignal.timeout(holdMs)]);
    await Promise.race([closed, delay(holdMs, undefined, { signal: over }).catch(() => undefined)]);
    clearInterval(timer);
    socket.destroy();
    await closed;
    return ending;
  }

  /**
   * Opens a WebSocket, and does something there until that is over. Tells how the first turn ended
   * (`completed`, `incomplete`, `failed`, `error`), `created` where one only began, 101 where none did, or
   * the status that the connection was refused with.
   */
  async speak(speak: (ws: WebSocket) => Promise<void>, end: AbortSignal): Promise<string> {
    const headers = { authorization: `Bearer ${this.means.keys.open}` };
    const url = `${this.means.baseUrl.replace('http', 'ws')}/v1/responses`;
    const ws = new WebSocket(url, { headers, perMessageDeflate: false });
    const cut = () => ws.terminate();
    end.addEventListener('abort', cut);
    const closed = new Promise<'closed'>((resolve) => ws.once('close', () => resolve('closed')));
    let ending = 'no answer';
    ws.on('error', (error) => (ending = /response: (\d+)/.exec(error.message)?.[1] ?? ending));
    ws.once('open', () => (ending = '101'));
    ws.on('message', (data: Buffer) => {
      if (ending === '101' || ending === 'created') ending = turnTold.exec(data.toString('utf8'))?.[1] ?? ending;
    });
    const opened = once(ws, 'open').catch(() => closed);
    try {
      if ((await Promise.race([opened, closed])) === 'closed') return ending;
      await Promise.race([speak(ws), closed]);
      return ending;
    } finally {
      end.removeEventListener('abort', cut);
      ws.terminate();
    }
  }

  /** The head of a request with the open key, as text. */
  head(more: readonly string[], path = chatPath): string {
    const own = ['host: tollgate', `authorization: Bearer ${this.means.keys.open}`, 'content-type: application/json'];
    return [`POST ${path} HTTP/1.1`, ...own, ...more, '', ''].join('\r\n');
  }

  /** The head of what a page of the person's browser reads, as text. */
  pageHead(path: string): string {
    const own = Object.entries(this.means.person).map(([name, value]) => `${name}: ${value}`);
    return [`GET ${path} HTTP/1.1`, 'host: tollgate', ...own, '', ''].join('\r\n');
  }

  private send({ method = 'POST', path = chatPath, key, headers, body }: Ask, signal: AbortSignal) {
    const bearer = key === undefined ? this.means.keys.open : key;
    return request(this.means.baseUrl + path, {
      method,
      dispatcher: this.agent,
      signal,
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        'content-type': 'application/json',
        ...headers,
      },
      body: typeof body === 'object' && !(body instanceof Uint8Array) ? JSON.stringify(body) : body,
    });
  }
}
