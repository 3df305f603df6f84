import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';

/**
 * The yardstick: a proxy that knows no keys, no limits and no bill, and passes bytes as cheaply as this
 * platform can.
 */
class Relay implements Dispatcher.DispatchHandler {
  constructor(private readonly response: ServerResponse) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.response.once('close', () => {
      if (!this.response.writableFinished) controller.abort(new Error('the caller left'));
    });
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: object): void {
    const type = 'content-type' in headers ? String(headers['content-type']) : 'application/json';
    this.response.writeHead(status, { 'content-type': type });
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.response.write(bytes)) return;
    controller.pause();
    this.response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.response.end();
  }

  onResponseError(): void {
    this.response.destroy();
  }
}

function relay(upstream: Pool, path: string, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const headers = { 'content-type': 'application/json' };
    upstream.dispatch({ method: 'POST', path, headers, body: Buffer.concat(chunks) }, new Relay(response));
  });
}

const { origin, pathname } = new URL(process.argv[2] ?? '');
const upstream = new Pool(origin, { connections: 4_000, headersTimeout: 0, bodyTimeout: 0 });
const server = createServer((request, response) => relay(upstream, pathname, request, response));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
