import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { patience } from './patience';

/**
 * A span as a collector got it. `parentSpanId` empty: the root of its trace. `kind` 2 is a server's, 3 a
 * client's; `status` 2 is an error.
 */
export interface ReceivedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  kind: number;
  status: number;
  attributes: Record<string, unknown>;
}

/** The JSON form of https://github.com/open-telemetry/opentelemetry-proto, as far as it is looked at. */
interface OtlpAttribute {
  key: string;
  value: Record<string, unknown>;
}
interface OtlpSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  status?: { code?: number };
  attributes: OtlpAttribute[];
}
interface OtlpTraces {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** An OpenTelemetry collector that keeps what it gets: OTLP over HTTP in JSON. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  private readonly server: Server = createServer((request, response) => void this.receive(request, response));

  /** Starts one on a free port of the loopback interface. */
  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Waits until `count` spans have come, which should take `timeoutMs` at most. @throws Error. */
  async received(count: number, timeoutMs = 10_000): Promise<readonly ReceivedSpan[]> {
    const giveUpAt = Date.now() + timeoutMs * patience;
    while (this.spans.length < count) {
      if (Date.now() > giveUpAt) throw new Error(`only ${this.spans.length} of ${count} spans came`);
      await sleep(10);
    }
    return this.spans;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url !== '/v1/traces') return void response.writeHead(404).end();
    const traces = (await json(request)) as OtlpTraces;
    for (const { resource, scopeSpans } of traces.resourceSpans) {
      const service = String(toAttributes(resource.attributes)['service.name']);
      for (const { spans } of scopeSpans) for (const span of spans) this.spans.push(toSpan(service, span));
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }
}

function toSpan(service: string, span: OtlpSpan): ReceivedSpan {
  return {
    service,
    name: span.name,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    kind: span.kind,
    status: span.status?.code ?? 0,
    attributes: toAttributes(span.attributes),
  };
}

/** A value comes under the name of its type: `{ intValue: 1 }`. */
function toAttributes(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
