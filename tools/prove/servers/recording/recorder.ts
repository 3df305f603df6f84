import { homedir } from 'node:os';
import { startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream, UpstreamVisit } from '@tollgate/testing';
import type { ServerSite } from '../own-server';
import { keptHeaders, keyOf } from './recording';
import type { Exchange } from './recording';

/** Requests go on without what belongs to their connection. */
const hopHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding']);

/**
 * Stands before a server, passes on what it is asked, and keeps what came: the first answer to each request.
 */
export class Recorder {
  private readonly kept = new Map<string, Exchange>();

  private constructor(
    private readonly upstream: string,
    private readonly places: readonly (readonly [path: string, name: string])[],
    private readonly server: ScriptedUpstream,
  ) {}

  /** `site`: its folders are told by other names in what is kept, since they are those of this machine. */
  static async start(upstream: string, { work, installed }: ServerSite): Promise<Recorder> {
    const server = await startScriptedUpstream(() => undefined);
    const places = [[work, '/models'] as const, [installed, '/server'] as const, [homedir(), '/home'] as const];
    const recorder = new Recorder(upstream, places, server);
    server.script = (visit) => recorder.passOn(visit);
    return recorder;
  }

  get url(): string {
    return this.server.url;
  }

  /** In the order of their requests' names, so that two recordings can be compared. */
  get exchanges(): Exchange[] {
    return [...this.kept.values()].toSorted((one, other) => (one.asked < other.asked ? -1 : 1));
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  private async passOn({ path, headers: told, body, response }: UpstreamVisit): Promise<void> {
    const headers = Object.entries(told).flatMap(([name, value]): [string, string][] =>
      hopHeaders.has(name) || value === undefined ? [] : [[name, String(value)]],
    );
    const isPost = body.length > 0;
    const request = { method: isPost ? 'POST' : 'GET', headers, ...(isPost && { body }) };
    const answer = await fetch(this.upstream + path, request);
    const text = await answer.text();
    const kept = Object.fromEntries(
      keptHeaders.flatMap((name) => {
        const value = answer.headers.get(name);
        return value === null ? [] : [[name, value]];
      }),
    );
    // How busy it is, is nothing of an answer.
    if (isPost || path === '/v1/models')
      this.keep({ asked: keyOf(path, body), status: answer.status, headers: kept, text });
    response.writeHead(answer.status, kept).end(text);
  }

  private keep(exchange: Exchange): void {
    if (this.kept.has(exchange.asked)) return;
    const text = this.places.reduce((all, [path, name]) => all.replaceAll(`${path}/`, `${name}/`), exchange.text);
    this.kept.set(exchange.asked, { ...exchange, text });
  }
}
