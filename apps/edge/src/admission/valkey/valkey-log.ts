import type { Logger } from '@tollgate/observability';
import { Redis } from 'ioredis';
import type { TokenEntry } from '../token-rates/token-log';
import { addTokensScript, readTokenAnswer, settleTokensScript, takeTokensScript } from '../token-rates/token-scripts';
import type { TokenAnswer } from '../token-rates/token-scripts';
import { addScript, readAnswer, runScript, takeScript } from './log-scripts';
import type { LogAnswer } from './log-scripts';
import { lookEveryMs, Silence } from './silence';

/** For connecting, and for what is done once after that. */
const openingTimeoutMs = 500;
/** How long a connection may take to close; one to a frozen server never does by itself. */
const breakingTimeoutMs = 100;
const reconnectMs = { first: 20, most: 250 };
/** Units that one command adds. */
const unitsPerCommand = 500;
/** Where the run of the primary is written, and how often it is read whether that is still so. */
const runKey = 'tollgate:run';
const lookAtRunMs = 1_000;
/** Keys whose logs are read at a time. */
const keysPerPage = 500;

/** A unit that was taken without Valkey: its name (unique over all edges) and how long ago, milliseconds. */
export interface LateUnit {
  readonly keyId: string;
  readonly member: string;
  readonly ageMs: number;
}

/**
 * `url`: `valkey://` or `redis://`, with TLS `valkeys://` or `rediss://`; user, password and database number
 * in it as usual.
 * `ca`: the certificates (PEM) that sign the server's, null for those that Node trusts.
 */
export interface ValkeyAddress {
  readonly url: string;
  readonly ca: string | null;
}

/** Hears whether the logs can be reached. */
export interface LogListener {
  /** The server answers, in this run of it; never twice without `down` between. */
  up(run: string): void;
  /** It is gone: everything that was under way has failed, or will. */
  down(): void;
}

/** The rolling logs of all keys that the edges have in common. */
export type CommonLog = Pick<ValkeyLog, 'currentRun' | 'open' | 'close' | 'take' | 'giveBack' | 'add' | 'read'>;

/**
 * The rolling logs of all keys in one Valkey (or Redis). Commands of one turn of the event loop travel
 * together. Each run of a server, from when it became the primary until it ended or is none any more, has
 * logs of its own, named by the run: a server that comes back with old data, or to its place, cannot mix them
 * with what the edges put into it again.
 */
export class ValkeyLog {
  private readonly client: Redis;
  /** Null: nobody has opened it, or it was closed. */
  private listener: LogListener | null = null;
  private run: string | null = null;
  /** The last run, and whether it is over: its server was seen as a replica since, or tells of another. */
  private lastRun = '';
  private isLastOver = false;
  private looking: NodeJS.Timeout | null = null;
  private isBreaking = false;
  /** Since a server answered as it should: how often none did, and what was said of that. */
  private missed = 0;
  private readonly told = new Set<string>();
  /** Answers of any kind that came from it. */
  private heard = 0;
  private scripts = { take: '', add: '', takeTokens: '', settleTokens: '', addTokens: '' };

  constructor(
    { url, ca }: ValkeyAddress,
    private readonly logger: Logger,
  ) {
    this.client = new Redis(url.replace(/^valkey(?=s?:)/, 'redis'), {
      ...(ca === null ? {} : { tls: { ca } }),
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      enableAutoPipelining: true,
      enableReadyCheck: false,
      maxRetriesPerRequest: 0,
      connectTimeout: openingTimeoutMs,
      disconnectTimeout: breakingTimeoutMs,
      retryStrategy: () => Math.min(reconnectMs.first * 2 ** this.missed++, reconnectMs.most),
    });
    this.client.on('error', (error: Error) => this.logger.debug({ err: error }, 'the connection to Valkey failed'));
    this.client.on('ready', () => void this.begin());
    this.client.on('close', () => {
      this.isBreaking = false;
      this.end();
    });
  }

  /** The run of the server that answers now; null: none does. */
  get currentRun(): string | null {
    return this.run;
  }

  /** Begins to connect, and goes on trying until `close`. */
  open(listener: LogListener): void {
    this.listener = listener;
    this.looking = setInterval(() => this.lookAtRun(), lookAtRunMs).unref();
    this.client.connect().catch(() => undefined);
  }

  close(): void {
    this.listener = null;
    if (this.looking) clearInterval(this.looking);
    this.client.disconnect();
  }

  /**
   * Takes a unit if fewer than `limit` are in the window.
   * @throws Error when there is no answer in time; the unit may have been taken all the same.
   */
  async take(keyId: string, limit: number, member: string): Promise<LogAnswer> {
    const { take } = this.scripts;
    return readAnswer(await this.inPatience(this.client.evalsha(take, 1, this.nameOf(keyId), limit, member)));
  }

  /**
   * Takes a unit out again. Whether it arrives is not awaited: a lost one counts until its minute is over.
   */
  giveBack(keyId: string, member: string): void {
    if (this.run !== null) this.client.zrem(this.nameOf(keyId), member).catch(() => undefined);
  }

  /**
   * Adds units that were taken without it. Its clock is asked once, after the ages were told: so none looks
   * older than it is, and the last of many keys not younger by the time that all before it took.
   * @throws Error when it is not done in time; some may have been added.
   */
  async add(units: readonly LateUnit[]): Promise<void> {
    const nowUs = toUs(await this.inTime(this.client.time(), openingTimeoutMs));
    for (const [keyId, ofKey] of groupByKey(units)) {
      for (let start = 0; start < ofKey.length; start += unitsPerCommand) {
        const pairs = ofKey
          .slice(start, start + unitsPerCommand)
          .flatMap(({ member, ageMs }) => [member, nowUs - Math.max(0, Math.floor(ageMs * 1_000))]);
        await this.inTime(
          this.client.evalsha(this.scripts.add, 1, this.nameOf(keyId), ...pairs.map(String)),
          openingTimeoutMs,
        );
      }
    }
  }

  /**
   * Reads the logs of all keys, page by page: the ages of their units in milliseconds, oldest first.
   * @throws Error when an answer does not come in time.
   */
  async *read(): AsyncGenerator<{ keyId: string; agesMs: number[] }> {
    const prefix = this.nameOf('');
    let cursor = '0';
    do {
      const [next, names] = await this.inTime(
        this.client.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', keysPerPage),
        openingTimeoutMs,
      );
      const [clock, ...logs] = await this.inTime(
        Promise.all([this.client.time(), ...names.map((name) => this.client.zrange(name, '0', '-1', 'WITHSCORES'))]),
        openingTimeoutMs,
      );
      const nowUs = toUs(clock);
      for (const [index, log] of logs.entries()) {
        const scores = log.filter((_, place) => place % 2 === 1);
        const keyId = (names[index] ?? '').slice(prefix.length);
        yield { keyId, agesMs: scores.map((score) => (nowUs - Number(score)) / 1_000) };
      }
      cursor = next;
    } while (cursor !== '0');
  }

  /**
   * Takes tokens of a limit if so many are left of it in the window.
   * @throws Error when there is no answer in time; they may have been taken all the same.
   */
  async takeTokens(name: string, limit: number, tokens: number, member: string): Promise<TokenAnswer> {
    const answer = this.client.evalsha(
      this.scripts.takeTokens,
      2,
      ...this.tokenNamesOf(name),
      ...[limit, tokens, member].map(String),
    );
    return readTokenAnswer(await this.inPatience(answer));
  }

  /**
   * The request of that name used so many tokens.
   * @throws Error when it did not arrive: what the request took counts until its minute is over.
   */
  async settleTokens(name: string, member: string, tokens: number): Promise<void> {
    const { settleTokens } = this.scripts;
    await this.client.evalsha(settleTokens, 2, ...this.tokenNamesOf(name), member, String(tokens));
  }

  /**
   * Adds what was taken of a limit without it, each as old as `ageMs` says.
   * @throws Error when it is not done in time; some may have been added.
   */
  async addTokens(name: string, entries: readonly TokenEntry[], ageMs: (entry: TokenEntry) => number): Promise<void> {
    for (let start = 0; start < entries.length; start += unitsPerCommand) {
      const facts = entries
        .slice(start, start + unitsPerCommand)
        .flatMap((entry) => [entry.member, Math.max(0, Math.floor(ageMs(entry) * 1_000)), entry.tokens]);
      await this.inTime(
        this.client.evalsha(this.scripts.addTokens, 2, ...this.tokenNamesOf(name), ...facts.map(String)),
        openingTimeoutMs,
      );
    }
  }

  private tokenNamesOf(name: string): [string, string] {
    return [`tollgate:tpm:${this.run}:${name}`, `tollgate:tpm-held:${this.run}:${name}`];
  }

  private nameOf(keyId: string): string {
    return `tollgate:rpm:${this.run}:${keyId}`;
  }

  private async begin(): Promise<void> {
    this.isBreaking = false;
    try {
      const load = (script: string) => this.client.script('LOAD', script).then(String);
      const opening = Promise.all([
        Promise.all([this.client.info('server'), this.client.info('replication')]),
        ...[takeScript, addScript, takeTokensScript, settleTokensScript, addTokensScript].map(load),
      ]);
      const [[server, replication], take = '', add = '', takeTokens = '', settleTokens = '', addTokens = ''] =
        await this.inTime(opening, openingTimeoutMs);
      const [, runId] = /^run_id:(\w+)/m.exec(server) ?? [];
      if (runId === undefined) throw new Error('It does not tell its run id.');
      // It would seem to be there until the first request, fail that one, and seem to be there again.
      if (/^role:slave/m.test(replication)) {
        this.isLastOver = true;
        throw new Error('It is a replica, which takes no writes.');
      }
      const over = this.isLastOver ? this.lastRun : '';
      const run = String(await this.inTime(this.client.eval(runScript, 1, runKey, runId, over), openingTimeoutMs));
      this.scripts = { take, add, takeTokens, settleTokens, addTokens };
      this.run = this.lastRun = run;
      this.isLastOver = false;
      this.missed = 0;
      this.told.clear();
      this.listener?.up(run);
    } catch (error) {
      this.tell(error);
      this.fail();
    }
  }

  /** Once, and not at each try. */
  private tell(error: unknown): void {
    if (this.told.has(String(error))) return;
    this.told.add(String(error));
    this.logger.warn({ err: error }, 'Valkey took a connection and does not answer as it should');
  }

  /**
   * The logs are gone, or another server was the primary meanwhile: a new connection tells which run it is.
   * No answer says nothing here.
   */
  private lookAtRun(): void {
    const { run } = this;
    if (run === null) return;
    this.client.get(runKey).then(
      (written) => {
        if (written === run || this.run !== run) return;
        this.isLastOver = true;
        this.fail();
      },
      () => undefined,
    );
  }

  private end(): void {
    if (this.run === null) return;
    this.run = null;
    this.listener?.down();
  }

  /**
   * Whatever went wrong, a new connection is the way out. The fault is told at once, so that nobody asks
   * again before it is there.
   */
  private fail(): void {
    this.end();
    if (this.isBreaking) return;
    this.isBreaking = true;
    this.client.disconnect(true);
  }

  /** Waits for the answer to a request as long as the server answers anything. */
  private inPatience<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const silence = new Silence(performance.now(), this.heard);
    return this.inTime(answer, lookEveryMs, () => silence.isTooLong(performance.now(), this.heard));
  }

  /**
   * Every failure breaks the connection; so does an answer that takes too long, which is asked every
   * `timeoutMs`.
   */
  private inTime<Answer>(answer: Promise<Answer>, timeoutMs: number, isTooLong = () => true): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let settled = false;
      // After a stall of this process the answer may wait in the socket: that is read before the next
      // immediate.
      const look = () => setImmediate(lookAgain);
      const lookAgain = () => {
        if (settled) return;
        if (!isTooLong()) {
          timer = setTimeout(look, timeoutMs);
          return;
        }
        this.fail();
        reject(new Error('Valkey did not answer in time.'));
      };
      let timer = setTimeout(look, timeoutMs);
      const settle = () => {
        settled = true;
        clearTimeout(timer);
      };
      answer.then(
        (value) => {
          this.heard += 1;
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          this.fail();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }
}

/** What `TIME` answers, seconds and microseconds, as microseconds. */
function toUs([seconds, microseconds]: readonly unknown[]): number {
  return Number(seconds) * 1_000_000 + Number(microseconds);
}

function groupByKey(units: readonly LateUnit[]): Map<string, LateUnit[]> {
  const groups = new Map<string, LateUnit[]>();
  for (const unit of units) {
    const group = groups.get(unit.keyId);
    if (group) group.push(unit);
    else groups.set(unit.keyId, [unit]);
  }
  return groups;
}
