import { ControlError, monthStartMs, noUsage, usageEvent, usageStream } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import {
  contentLogOperations,
  guardrailOperations,
  ledgerOperations,
  invoiceOperations,
  meteringOperations,
  mostGuardrailFindings,
  refusalOperations,
  reportOperations,
  seriesReply,
  statementOperations,
} from '@tollgate/contracts/metering';
import type {
  FoundInHour,
  LoggedRequest,
  MetricsReport,
  NewLoggedContent,
  RefusedInMinute,
} from '@tollgate/contracts/metering';
import type { NatsConnection, Subscription } from 'nats';
import { z } from 'zod';
import { respond } from './control-responder';
import { FakeBackground } from './fake-background';
import { FakeConversations } from './fake-conversations';
import { FakeTurns } from './fake-turns';

/**
 * Metering as an edge sees it: leases out of a quota, settled by the usage events that edge and inference
 * publish, and reports.
 */
export class FakeMetering {
  private readonly held = new Map<string, { keyId: string; tokens: number }>();
  /** Tokens that each key used. */
  readonly used = new Map<string, number>();
  readonly events: UsageEvent[] = [];
  /** Set, every report and lease is refused as unavailable. */
  isAway = false;
  /** It is of the release before this one. */
  isOfBefore = false;
  report: MetricsReport = {
    startAt: 0,
    endAt: 0,
    totals: { requests: 0, unpricedRequests: 0, inputTokens: 0, outputTokens: 0, costNanoUsd: '0' },
    byModel: [],
  };
  /** Nano-dollars of a token of output, for those who ask what an event costs; null: it has no price. */
  quoted: bigint | null = 1_500n;
  /** What the log of requests answers, and what was asked of reports. */
  requests: LoggedRequest[] = [];
  /** The models that GET /api/metrics was asked of, and what it was divided by or restricted to. */
  readonly reported: string[] = [];
  /** The windows that it was asked for. */
  readonly windows: { period: string; calendar: boolean }[] = [];
  readonly sliced: { divideBy?: string | undefined; slice?: object | undefined }[] = [];
  readonly reportsAsked: { accountId?: string | undefined; keyIds?: string[] | undefined; groupBy?: string }[] = [];
  /** What edges said that guardrails found, as often as they said it. */
  readonly found: FoundInHour[] = [];
  /** What edges said that they refused, as often as they said it. */
  readonly refused: RefusedInMinute[] = [];
  /** What was logged. */
  readonly logged: NewLoggedContent[] = [];
  /** What was kept of responses. */
  readonly turns = new FakeTurns(() => this.checkPresence());
  readonly background = new FakeBackground(this.turns, () => this.checkPresence());
  readonly conversations = new FakeConversations(() => this.checkPresence());
  private readonly responders: Subscription[] = [];

  constructor(private readonly connection: NatsConnection) {}

  /** What the leases of a key hold; of all keys when none is named. */
  heldTokens(key?: string): number {
    const leases = [...this.held.values()].filter(({ keyId }) => key === undefined || keyId === key);
    return leases.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  start(): void {
    const serve = (...subscriptions: Subscription[]) => this.responders.push(...subscriptions);
    serve(
      this.connection.subscribe(usageStream.subject, {
        callback: (_error, message) => {
          for (const event of z.array(usageEvent).parse(message.json())) this.settle(event);
        },
      }),
      respond(this.connection, meteringOperations.usage, ({ keyId, quotaTokens }) => this.record(keyId, quotaTokens)),
      respond(this.connection, meteringOperations.metrics, ({ period, calendar = false, model, divideBy, slice }) => {
        this.checkPresence();
        this.windows.push({ period, calendar });
        if (divideBy ?? slice) this.sliced.push({ divideBy, slice });
        if (model !== undefined) this.reported.push(model);
        return this.report;
      }),
      respond(this.connection, meteringOperations.acquireLease, ({ leaseId, keyId, tokens, quotaTokens }) => {
        const record = this.record(keyId, quotaTokens);
        const granted = Math.max(0, Math.min(tokens, quotaTokens - record.used - this.heldTokens(keyId)));
        this.held.set(leaseId, { keyId, tokens: (this.held.get(leaseId)?.tokens ?? 0) + granted });
        return { granted, ttlMs: 60_000, record };
      }),
      respond(this.connection, meteringOperations.renewLeases, ({ leases }) => {
        this.checkPresence();
        for (const { leaseId, giveBackTokens } of leases) {
          const lease = this.held.get(leaseId);
          if (lease) lease.tokens -= giveBackTokens;
        }
        return { renewed: leases.map(({ leaseId }) => leaseId), ttlMs: 60_000 };
      }),
      ...this.serveReports(),
      ...this.serveOperators(),
      ...this.turns.serve(this.connection),
      ...this.background.serve(this.connection),
      ...this.conversations.serve(this.connection),
      ...this.serveContentLog(),
    );
  }

  private serveReports(): Subscription[] {
    const { connection } = this;
    return [
      respond(connection, { ...reportOperations.series, reply: seriesReply }, ({ keyIds, accountId, ...asked }) => {
        this.checkPresence();
        const { groupBy, startAt, endAt, step, timeZone, inColumns = false } = asked;
        this.reportsAsked.push({ keyIds, accountId, groupBy });
        const name = { none: 'all', model: 'openai/gpt-5.4-mini' }[groupBy as string] ?? 'openai';
        const told = { startAt, endAt, step, timeZone, grouped: false };
        if (inColumns && !this.isOfBefore) {
          const lines = [{ name, totals: inColumn, steps: [0], points: inColumn }];
          return { ...told, starts: [startAt], totals: inColumn, lines };
        }
        return {
          ...told,
          totals: counters,
          lines: [{ name, totals: counters, points: [{ at: startAt, ...counters }] }],
        };
      }),
      respond(connection, reportOperations.slices, ({ keyIds, accountId, dimension, startAt, endAt }) => {
        this.checkPresence();
        this.reportsAsked.push({ keyIds, accountId, groupBy: dimension });
        return slicedBy('ann', startAt, endAt);
      }),
      respond(connection, reportOperations.projects, ({ accountId, projects, startAt, endAt }) => {
        this.checkPresence();
        this.reportsAsked.push({ accountId, keyIds: projects.flatMap(({ keyIds }) => keyIds), groupBy: 'project' });
        return slicedBy(projects[0]?.name ?? '', startAt, endAt);
      }),
      respond(connection, reportOperations.listRequests, ({ keyIds, accountId, limit, after }) => {
        this.checkPresence();
        this.reportsAsked.push({ keyIds, accountId });
        const from = Number(after ?? 0);
        const requests = this.requests.slice(from, from + limit);
        const next = from + limit < this.requests.length ? String(from + limit) : null;
        return { requests, next, orderedBy: 'startedAt' as const };
      }),
      respond(connection, reportOperations.failures, ({ keyIds, accountId }) => {
        this.checkPresence();
        this.reportsAsked.push({ keyIds, accountId });
        return { counted: 0, isWhole: true, causes: [] };
      }),
      respond(connection, refusalOperations.record, ({ minutes }) => {
        this.checkPresence();
        this.refused.push(...minutes);
        return {};
      }),
      respond(connection, statementOperations.read, ({ accountId, keyIds, month }) => {
        this.checkPresence();
        this.reportsAsked.push({ keyIds, accountId });
        const charged = { requests: 2, unpricedRequests: 1, inputTokens: 9, cachedInputTokens: 4, outputTokens: 3 };
        const sum = { ...charged, costNanoUsd: '1500000001' };
        const startAt = Date.parse(`${month}-01`);
        return {
          month,
          startAt,
          endAt: startAt + 1,
          total: sum,
          lines: [{ day: `${month}-02`, model: '=a/b', ...sum }],
        };
      }),
      respond(connection, guardrailOperations.record, ({ hours }) => {
        this.checkPresence();
        this.found.push(...hours);
        return {};
      }),
      respond(connection, guardrailOperations.list, () => {
        this.checkPresence();
        const counts = this.found.map(({ hour, toldBy: _, ...row }) => ({ ...row, lastHour: hour }));
        return { counts: counts.slice(-mostGuardrailFindings) };
      }),
      respond(connection, refusalOperations.list, ({ keyIds, accountId }) => {
        this.checkPresence();
        this.reportsAsked.push({ keyIds, accountId });
        return { total: this.refused.length, causes: this.refused.map(({ edgeId: _, minute: __, ...cause }) => cause) };
      }),
      respond(connection, reportOperations.usedTokens, ({ keyIds }) => {
        this.checkPresence();
        const used = Object.fromEntries(keyIds.map((keyId) => [keyId, this.used.get(keyId) ?? 0]));
        return { used, resetsAt: monthStartMs(Date.now(), 1), lastUsedAt: { 'key-1': 7_000 } };
      }),
    ];
  }

  private serveContentLog(): Subscription[] {
    const { connection } = this;
    const found = (id: string, accountId?: string) => {
      this.checkPresence();
      const entry = this.logged.find(
        (one) => one.id === id && (accountId === undefined || one.accountId === accountId),
      );
      if (!entry) throw new ControlError('not_found', 'Nothing of it is kept.');
      return { ...entry, expiresAt: 1 };
    };
    const { record, find, read, remove, removeOfKey } = contentLogOperations;
    return [
      respond(connection, record, ({ entries }) => {
        this.checkPresence();
        this.logged.push(...entries);
        return {};
      }),
      respond(connection, find, ({ id, accountId }) => found(id, accountId)),
      respond(connection, read, ({ id, accountId }) => found(id, accountId)),
      respond(connection, remove, ({ id, accountId }) => {
        this.logged.splice(this.logged.indexOf(found(id, accountId)), 1);
        return {};
      }),
      respond(connection, removeOfKey, () => ({ removed: 2, isDone: true })),
    ];
  }

  private serveOperators(): Subscription[] {
    const { connection } = this;
    const letter = { sequence: 1, at: 1, reason: 'unreadable', bytes: 3 };
    const { listDeadLetters, showDeadLetter, replayDeadLetter, dropDeadLetter } = ledgerOperations;
    return [
      respond(connection, meteringOperations.status, () => ({
        reservedTokens: 0,
        liveLeases: 0,
        pendingEvents: 0,
        deadLetters: 1,
      })),
      respond(connection, ledgerOperations.explain, ({ id }) => {
        const events = this.events.filter((event) => event.id === id);
        if (events.length === 0) throw new ControlError('not_found', 'No usage event has this id.');
        return { events: events.map((event) => ({ ...unpricedCharge, event })) };
      }),
      respond(connection, ledgerOperations.quote, ({ event }) => {
        this.checkPresence();
        return { costNanoUsd: this.quoted === null ? null : String(this.quoted * BigInt(event.usage.output)) };
      }),
      respond(connection, invoiceOperations.drift, ({ from, to, provider }) => ({
        lines: [],
        bills: [billOf(from, to, provider)],
      })),
      respond(connection, invoiceOperations.requests, (line) => {
        const { provider, day, model, kind } = line;
        const requestId = [provider, day, model, kind].join(' ');
        const picos = { billedPicoUsd: '2', ratedPicoUsd: null };
        return {
          requests: [{ eventId: null, requestId, at: null, reason: 'unknown-here' as const, ...picos }],
          count: 1,
        };
      }),
      respond(connection, listDeadLetters, () => ({ letters: [letter], next: null })),
      respond(connection, showDeadLetter, () => ({ ...letter, body: '{}x' })),
      respond(connection, replayDeadLetter, () => ({
        stored: 0,
        alreadyStored: 0,
        problems: ['still'],
        removed: false,
      })),
      respond(connection, dropDeadLetter, () => ({})),
    ];
  }

  stop(): void {
    for (const responder of this.responders.splice(0)) responder.unsubscribe();
  }

  private settle(event: UsageEvent): void {
    this.events.push(event);
    const tokens = event.usage.input + event.usage.output;
    this.used.set(event.keyId, (this.used.get(event.keyId) ?? 0) + tokens);
    const lease = event.lease === null ? undefined : this.held.get(event.lease);
    if (lease) lease.tokens = Math.max(0, lease.tokens - tokens);
  }

  private record(keyId: string, quotaTokens: number | null) {
    this.checkPresence();
    const used = this.used.get(keyId) ?? 0;
    const remaining = quotaTokens === null ? null : Math.max(0, quotaTokens - used);
    return { used, quota: quotaTokens, remaining, resetsAt: monthStartMs(Date.now(), 1) };
  }

  private checkPresence(): void {
    if (this.isAway) throw new ControlError('unavailable', 'metering is away');
  }
}

function billOf(from: string, to: string, provider: string | null) {
  return {
    provider: provider ?? 'openai',
    day: to,
    source: from,
    readAt: 1,
    ratedAt: null,
    problem: 'it answered 401',
  };
}

const unpricedCharge = {
  price: null,
  aboveInputTokens: null,
  hours: null,
  lines: [],
  computedNanoUsd: null,
  storedNanoUsd: null,
  budgets: [],
};

const counters = {
  requests: 3,
  failed: 1,
  cancelled: 0,
  cachedRequests: 0,
  unpricedRequests: 0,
  inputTokens: 30,
  outputTokens: 60,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costNanoUsd: '1500000',
  latency: { p50: 100, p90: 200, p99: 300 },
  firstToken: null,
  tokensPerSecond: null,
};

/** The same, in columns. */
const inColumn = {
  requests: [3],
  failed: [1],
  cancelled: [0],
  cachedRequests: [0],
  unpricedRequests: [0],
  inputTokens: [30],
  outputTokens: [60],
  cachedInputTokens: [0],
  reasoningTokens: [0],
  costNanoUsd: ['1500000'],
  latency: { p50: [100_000], p90: [200_000], p99: [300_000] },
  firstToken: { p50: [null], p90: [null], p99: [null] },
  streamedTokens: [0],
  streamedMs: [0],
};

/** A divided report, all of which is in one slice. */
function slicedBy(name: string, startAt: number, endAt: number) {
  const { requests, unpricedRequests, inputTokens, outputTokens, costNanoUsd } = counters;
  const whole = { requests, unpricedRequests, inputTokens, outputTokens, costNanoUsd };
  const nothing = { requests: 0, unpricedRequests: 0, inputTokens: 0, outputTokens: 0, costNanoUsd: '0' };
  return { startAt, endAt, totals: whole, slices: [{ name, ...whole }], other: nothing, none: nothing };
}

/** A request of the log. */
export function loggedRequest(changes: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    id: 'event-1',
    requestId: 'request-1',
    keyId: 'key-1',
    accountId: 'account-1',
    requestedModel: 'mini',
    model: 'openai/gpt-5.4-mini',
    provider: 'openai',
    surface: 'openai-chat',
    stream: false,
    state: 'completed',
    status: 200,
    estimated: false,
    usage: { ...noUsage, input: 10, output: 20 },
    attempts: [],
    costNanoUsd: '13500',
    startedAt: 1_000,
    firstTokenAt: 1_250,
    endedAt: 2_000,
    ...changes,
  };
}
