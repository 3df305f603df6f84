import Anthropic from '@anthropic-ai/sdk';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { eventually } from '@tollgate/testing';
import { readSandboxEnvironment } from '../environment';
import type { LedgerRow } from '../ledger/ledger';
import { createSandbox } from '../sandbox';

/** A sandbox on a port of its own, for the tests of one file. */
export class RunningSandbox {
  private constructor(
    private readonly app: NestFastifyApplication,
    readonly url: string,
  ) {}

  static async start(): Promise<RunningSandbox> {
    const app = await createSandbox(readSandboxEnvironment({}));
    await app.listen(0, '127.0.0.1');
    return new RunningSandbox(app, await app.getUrl());
  }

  close(): Promise<void> {
    return this.app.close();
  }

  post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  /** Anthropic's own client. */
  anthropic(): Anthropic {
    return new Anthropic({
      apiKey: 'sk-ant-test',
      baseURL: `${this.url}/anthropic-messages`,
      maxRetries: 0,
      // The version is a part of the provider's base address here.
      fetch: (url, init) => fetch(String(url instanceof Request ? url.url : url).replace('/v1/', '/'), init),
    });
  }

  /** The row that was booked last, with its charge. */
  async lastRow(): Promise<LedgerRow & { picoUsd: string | null }> {
    const answer = await fetch(`${this.url}/ledger`);
    const { rows } = (await answer.json()) as { rows: (LedgerRow & { picoUsd: string | null })[] };
    const row = rows.at(-1);
    if (!row) throw new Error('nothing was booked');
    return row;
  }

  /** The only row of a model, once it is as wanted: no longer open, unless somebody wants another. */
  async rowOf(model: string, isWanted = ({ state }: LedgerRow) => state !== 'open'): Promise<LedgerRow> {
    const ask = async () => {
      const answer = await fetch(`${this.url}/ledger?model=${encodeURIComponent(model)}`);
      return ((await answer.json()) as { rows: LedgerRow[] }).rows;
    };
    const [row] = await eventually(
      ask,
      ([found, ...more]) => found !== undefined && more.length === 0 && isWanted(found),
    );
    if (!row) throw new Error(`${model} has no row`);
    return row;
  }
}
