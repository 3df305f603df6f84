import { Injectable } from '@nestjs/common';
import { ToldCounts } from '@tollgate/contracts';
import type { GatewayError } from '@tollgate/contracts';
import { longestRefusalMessage, refusalOperations } from '@tollgate/contracts/metering';
import type { RefusedInMinute } from '@tollgate/contracts/metering';
import { ControlClient, NatsGenerationClient } from '@tollgate/messaging';
import { PeriodicWork } from '@tollgate/service';
import { Clock } from '../clock';
import { EdgeMetrics } from '../edge-metrics';
import type { RequestContext } from '../http/request-context';

const minuteMs = 60_000;
const tellEveryMs = 2_000;
const sendTimeoutMs = 2_000;
const perMessage = 500;
/** So many causes are told apart within what waits; further ones count together, by status. */
const mostCauses = 5_000;
const other = 'other';
/** Metering may be away for so long. */
const keptMs = 15 * minuteMs;
const longestField = 256;

/**
 * Counts what this edge refuses by itself, before any provider is asked with the operator's keys, and has
 * metering keep it: by minute, key, status and reason, with the last request of each. It is bounded, and
 * nobody waits for it. What metering does not take within a quarter of an hour is dropped.
 */
@Injectable()
export class Refusals {
  private readonly causes: ToldCounts<RefusedInMinute>;

  constructor(
    private readonly control: ControlClient,
    private readonly client: NatsGenerationClient,
    private readonly clock: Clock,
    metrics: EdgeMetrics,
    work: PeriodicWork,
  ) {
    this.causes = new ToldCounts({
      beginOf: ({ minute }) => minute,
      ...{ spanMs: minuteMs, keptMs, perMessage },
      onDropped: (count) => metrics.refusalsDropped(count),
      now: () => clock.nowMs(),
    });
    work.add({ name: 'refusals', everyMs: tellEveryMs, run: () => this.tell() });
  }

  /** A request to `path` is answered with this error, and no provider was asked with the operator's keys. */
  note(error: GatewayError, path: string, context: RequestContext): void {
    const at = this.clock.nowMs();
    const key = context.caller?.key ?? null;
    const told = { keyId: key?.id ?? null, accountId: key?.accountId ?? null, reason: reasonOf(error) };
    const cause = this.hasRoomFor(told.keyId, error.status, told.reason, at)
      ? told
      : { keyId: null, accountId: null, reason: other };
    const last = {
      at,
      requestId: context.requestId,
      model: context.model === null ? null : bounded(context.model, longestField),
      path: bounded(path, longestField),
      message: bounded(error.message, longestRefusalMessage),
    };
    const row = { ...cause, status: error.status, edgeId: this.client.edgeId, minute: minuteOf(at), count: 1, last };
    this.causes.add(nameOf(row), row);
  }

  /** Sends what metering does not have yet. Resolves when it has, or is away: it is sent again. */
  tell(): Promise<void> {
    const patience = { timeoutMs: sendTimeoutMs, absentMs: 0 };
    return this.causes.tell((minutes) => this.control.call(refusalOperations.record, { minutes }, patience));
  }

  private hasRoomFor(keyId: string | null, status: number, reason: string, at: number): boolean {
    return this.causes.size < mostCauses || this.causes.has(nameOf({ minute: minuteOf(at), keyId, status, reason }));
  }
}

/**
 * The word that programs act on, the limit, or the guardrail; the type of the error where there is none of
 * them.
 */
function reasonOf({ details, limit, guardrail, type }: GatewayError): string {
  return bounded(details?.reason ?? limit?.limit ?? (guardrail === null ? type : `guardrail ${guardrail}`), 64);
}

function minuteOf(at: number): number {
  return at - (at % minuteMs);
}

function nameOf({
  minute,
  keyId,
  status,
  reason,
}: Pick<RefusedInMinute, 'minute' | 'keyId' | 'status' | 'reason'>): string {
  return `${minute} ${status} ${keyId ?? ''} ${reason}`;
}

/** Text that Postgres can store. */
function bounded(text: string, length: number): string {
  return Buffer.from(text.slice(0, length)).toString().replaceAll('\0', '\ufffd');
}
