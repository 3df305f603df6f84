import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import type { GenerationRequest } from '@tollgate/contracts/inference';
import { contentLogOperations, contentLogSubjects, type DroppedContent } from '@tollgate/contracts/metering';
import { ControlClient, NatsGenerationClient, publishJson } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER, PeriodicWork } from '@tollgate/service';
import { ModelCatalog } from '../catalog/model-catalog';
import { Clock } from '../clock';
import { EdgeMetrics } from '../edge-metrics';
import { MessagingLink } from '../messaging-link';
import { ContentQueue, type DropReason } from './content-queue';
import { type ContentRecord, type Ending, toPolicy, type Policy } from './content-record';

const megabyte = 1_048_576;
/** What waits while metering is away. */
const queueLimits = { maxEntries: 10_000, maxBytes: 64 * megabyte };
/** Entries that travel together. NATS may be set to take less. */
const mostMessageBytes = 2 * megabyte;
/** What a message has around its entries. */
const envelopeBytes = 4_096;
const retryMs = 1_000;
const sendTimeoutMs = 5_000;
const pollMs = 20;
/** How often it is told that something was dropped. */
const tellDroppedEveryMs = 30_000;

/**
 * Logs requests and answers of the keys that have it switched on, where the operator allows it. For all
 * others it does nothing, and costs nothing.
 */
@Injectable()
export class ContentLogging {
  private readonly queue: ContentQueue;
  private policy: Policy | null = null;
  private open = 0;
  /** What was dropped, and not told yet. */
  private readonly dropped = new Map<DropReason, number>();

  constructor(
    private readonly catalog: ModelCatalog,
    private readonly clock: Clock,
    private readonly metrics: EdgeMetrics,
    control: ControlClient,
    private readonly link: MessagingLink,
    private readonly client: NatsGenerationClient,
    work: PeriodicWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.queue = new ContentQueue({
      ...queueLimits,
      messageBytes: Math.min(mostMessageBytes, (link.connection.info?.max_payload ?? megabyte) - envelopeBytes),
      retryMs,
      send: (entries) => control.call(contentLogOperations.record, { entries }, { timeoutMs: sendTimeoutMs }),
      onKept: (entries) => metrics.contentKept(entries),
      onDropped: (reason, entries) => this.countDropped(reason, entries),
    });
    metrics.watchContentQueue(() => this.queue.bytes);
    work.add({ name: 'dropped content', everyMs: tellDroppedEveryMs, run: () => this.tellDropped() });
  }

  /**
   * By which rules a request is to be logged; null: it is not, which is the rule.
   * @throws GatewayError 400 for a header that cannot be read.
   */
  policyFor(headers: IncomingHttpHeaders, key: CallerKey): Policy | null {
    if (!mayBeLogged(headers, key)) return null;
    const { contentLog } = this.catalog;
    if (contentLog !== (this.policy?.rules ?? null)) this.policy = contentLog && toPolicy(contentLog);
    return this.policy;
  }

  /** A request goes on its way. It is looked through in the next turn, so that it does not wait for that. */
  began(record: ContentRecord): void {
    this.open += 1;
    this.later(() => record.readRequest());
  }

  /** It is over: what there is of it goes to metering. */
  ended(record: ContentRecord, request: GenerationRequest, ending: Omit<Ending, 'endedAt'>): void {
    const endedAt = this.clock.nowMs();
    this.later(() => {
      this.open -= 1;
      const entry = record.entry(request, { ...ending, endedAt });
      if (entry) this.queue.push(entry);
    });
  }

  /**
   * Waits until everything that is over is stored, at most so long. What is not by then is dropped, and
   * counted.
   */
  async close(timeoutMs: number): Promise<void> {
    const giveUpAtMs = performance.now() + timeoutMs;
    while (this.open > 0 && performance.now() < giveUpAtMs) await sleep(pollMs);
    await this.queue.flush(giveUpAtMs - performance.now());
    this.queue.close();
    this.tellDropped();
  }

  private countDropped(reason: DropReason, entries: number): void {
    this.metrics.contentDropped(reason, entries);
    this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + entries);
  }

  /** Tells accounts, which tells operators. Where NATS is away the metrics alone know. */
  private tellDropped(): void {
    if (this.dropped.size === 0) return;
    const entries = [...this.dropped.values()].reduce((sum, each) => sum + each, 0);
    const notice: DroppedContent = { edge: this.client.edgeId, entries, reasons: Object.fromEntries(this.dropped) };
    this.dropped.clear();
    publishJson(this.link.connection, contentLogSubjects.dropped, notice);
  }

  /** Runs in a turn of its own. A fault costs one entry, and nothing else. */
  private later(work: () => void): void {
    setImmediate(() => {
      try {
        work();
      } catch (error) {
        this.countDropped('failed', 1);
        this.logger.error({ err: error }, 'a request could not be logged');
      }
    });
  }
}

/**
 * Whether a request may be logged, as far as its key and its caller say so: `x-tollgate-log: off` keeps it
 * out.
 * @throws GatewayError 400 for a header that says something else: whoever wrote it may rely on it.
 */
function mayBeLogged(headers: IncomingHttpHeaders, { logContent }: Pick<CallerKey, 'logContent'>): boolean {
  const asked = headers['x-tollgate-log'];
  if (asked === undefined) return logContent;
  if (asked !== 'off') throw new GatewayError(400, "The header 'x-tollgate-log' must be off.");
  return false;
}
