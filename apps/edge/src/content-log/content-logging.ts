import { Inject, Injectable } from '@nestjs/common';
import type { CallerKey, ContentLogRules, GenerationRequest, NewLoggedContent } from '@tollgate/contracts';
import { contentLogOperations } from '@tollgate/contracts';
import type { SurfaceDialect } from '@tollgate/dialects/surface';
import { Redactor } from '@tollgate/guardrails';
import { ControlClient } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import type { IncomingHttpHeaders } from 'node:http';
import { ModelCatalog } from '../catalog/model-catalog';
import { Clock } from '../clock';
import type { Answer } from '../generation/answer';
import { EdgeMetrics } from '../health/edge-metrics';
import { MessagingLink } from '../messaging-link';
import { LOGGER } from '../settings';
import { ContentQueue } from './content-queue';
import { GatheredDocument } from './gathered-document';
import { mayBeLogged } from './log-wish';
import { LoggedAnswer } from './logged-answer';
import { redactedJson } from './redacted-json';
import type { RedactedJson } from './redacted-json';

const megabyte = 1_048_576;
/** What waits while metering is away. */
const queueLimits = { maxEntries: 10_000, maxBytes: 64 * megabyte };
/** Entries that travel together. NATS may be set to take less. */
const mostMessageBytes = 2 * megabyte;
/** What a message has around its entries. */
const envelopeBytes = 4_096;
const retryMs = 1_000;
const sendTimeoutMs = 5_000;
/** A plain answer that is larger is not read; a stream takes up to so many times what it comes to. */
const documentBytes = 4 * megabyte;
const streamFactor = 64;
const pollMs = 20;

/** The operator's rules, ready for use. */
interface Policy {
  readonly rules: ContentLogRules;
  readonly redactor: Redactor;
}

/** A request that is to be logged: its parsed body, by these rules. */
export interface ToBeLogged extends Policy {
  readonly body: unknown;
}

/** How a logged request ended. `status` is what the caller saw. */
interface Ending {
  readonly state: NewLoggedContent['state'];
  readonly status: number;
  readonly cached: boolean;
}

/** One request that is being logged. */
export interface ContentRecord {
  /** An answer that does what `answer` does, and is gathered. */
  of(answer: Answer): Answer;
  /** The request is over: what there is of it goes to metering. */
  over(ending: Ending): void;
}

/** Logs requests and answers of the keys that have it switched on, where the operator allows it. For all others it does nothing, and costs nothing. */
@Injectable()
export class ContentLogging {
  private readonly queue: ContentQueue;
  private policy: Policy | null = null;
  private open = 0;

  constructor(
    private readonly catalog: ModelCatalog,
    private readonly clock: Clock,
    private readonly metrics: EdgeMetrics,
    control: ControlClient,
    { connection }: MessagingLink,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.queue = new ContentQueue({
      ...queueLimits,
      messageBytes: Math.min(mostMessageBytes, (connection.info?.max_payload ?? megabyte) - envelopeBytes),
      retryMs,
      send: (entries) => control.call(contentLogOperations.record, { entries }, { timeoutMs: sendTimeoutMs }),
      onKept: (entries) => metrics.contentKept(entries),
      onDropped: (reason, entries) => metrics.contentDropped(reason, entries),
    });
    metrics.watchContentQueue(() => this.queue.bytes);
  }

  /**
   * What is to be logged of a request; null: nothing, which is the rule.
   * @throws GatewayError 400 for a header that cannot be read.
   */
  wanted(headers: IncomingHttpHeaders, key: CallerKey, body: unknown): ToBeLogged | null {
    if (!mayBeLogged(headers, key)) return null;
    const { contentLog } = this.catalog.snapshot();
    if (contentLog !== (this.policy?.rules ?? null)) this.policy = contentLog && toPolicy(contentLog);
    return this.policy && { ...this.policy, body };
  }

  /** Begins to log a request that is on its way. Its text is looked through in the next turn, so that it does not wait for that. */
  begin({ rules, redactor, body }: ToBeLogged, request: GenerationRequest, surface: SurfaceDialect): ContentRecord {
    const redacted = (value: unknown) => redactedJson(value, redactor, rules.maxBodyBytes);
    const gathered = request.stream
      ? surface.gatheredStream(rules.maxBodyBytes * streamFactor)
      : new GatheredDocument(documentBytes);
    let asked: RedactedJson | null = null;
    let logged: LoggedAnswer | null = null;
    this.open += 1;
    this.later(() => (asked = redacted(body)));
    return {
      of: (answer) => (logged = new LoggedAnswer(answer, gathered)),
      over: (ending) => {
        const endedAt = this.clock.nowMs();
        this.later(() => {
          this.open -= 1;
          const content = logged?.content() ?? null;
          const told = content === null ? null : redacted(content);
          const isCut = logged?.isTruncated ?? false;
          if (asked) this.queue.push(toEntry(request, { ...ending, endedAt }, asked, told, isCut, rules));
        });
      },
    };
  }

  /** Waits until everything that is over is stored, at most so long. What is not by then is dropped, and counted. */
  async close(timeoutMs: number): Promise<void> {
    const giveUpAtMs = performance.now() + timeoutMs;
    while (this.open > 0 && performance.now() < giveUpAtMs) await new Promise((resolve) => setTimeout(resolve, pollMs));
    await this.queue.flush(giveUpAtMs - performance.now());
    this.queue.close();
  }

  /** Runs in a turn of its own. A fault costs one entry, and nothing else. */
  private later(work: () => void): void {
    setImmediate(() => {
      try {
        work();
      } catch (error) {
        this.metrics.contentDropped('failed', 1);
        this.logger.error({ err: error }, 'a request could not be logged');
      }
    });
  }
}

function toPolicy(rules: ContentLogRules): Policy {
  return { rules, redactor: new Redactor([...new Set([...rules.detectors, 'api-key' as const])], rules.patterns) };
}

function toEntry(
  request: GenerationRequest,
  ending: Ending & { endedAt: number },
  asked: RedactedJson,
  told: RedactedJson | null,
  isCut: boolean,
  { retentionDays }: ContentLogRules,
): NewLoggedContent {
  const { eventId: id, requestId, keyId, accountId, model, surface, stream, startedAt } = request;
  return {
    ...{ id, requestId, keyId, accountId, model, surface, stream, startedAt, ...ending, retentionDays },
    request: asked.text,
    answer: told?.text ?? null,
    requestTruncated: asked.isTruncated,
    answerTruncated: isCut || (told?.isTruncated ?? false),
    redactions: asked.redactions + (told?.redactions ?? 0),
  };
}
