import { Injectable } from '@nestjs/common';
import { ControlError, longestRefusalMessage, refusalOperations } from '@tollgate/contracts';
import type { GatewayError, RefusedInMinute } from '@tollgate/contracts';
import { ControlClient, NatsGenerationClient } from '@tollgate/messaging';
import { PeriodicWork } from '@tollgate/service';
import { Clock } from '../clock';
import { EdgeMetrics } from '../health/edge-metrics';
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

/** A count, and how much of it metering has. */
interface Counted {
  row: RefusedInMinute;
  told: number;
}

/**
 * Counts what this edge refuses by itself, before any provider is asked, and has metering keep it: by minute,
 * key, status and reason, with the last request of each. It is bounded, and nobody waits for it. What
 * metering does not take within a quarter of an hour is dropped.
 */
@Injectable()
export class Refusals {
  private readonly causes = new Map<string, Counted>();

  constructor(
    private readonly control: ControlClient,
    private readonly client: NatsGenerationClient,
    private readonly clock: Clock,
    private readonly metrics: EdgeMetrics,
    work: PeriodicWork,
  ) {
    work.add({ name: 'refusals', everyMs: tellEveryMs, run: () => this.tell() });
  }

  /** A request to `path` is answered with this error, and no provider was asked. */
  note(error: GatewayError, path: string, context: RequestContext): void {
    const at = this.clock.nowMs();
    const key = context.caller?.key ?? null;
    const told = { keyId: key?.id ?? null, accountId: key?.accountId ?? null, reason: reasonOf(error) };
    const cause = this.hasRoomFor(told.keyId, error.status, told.reason, at)
      ? told
      : { keyId: null, accountId: null, reason: other };
    const row = { ...cause, status: error.status, edgeId: this.client.edgeId, minute: minuteOf(at), count: 1 };
    const last = {
      at,
      requestId: context.requestId,
      model: context.model === null ? null : bounded(context.model, longestField),
      path: bounded(path, longestField),
      message: bounded(error.message, longestRefusalMessage),
    };
    const name = nameOf(row);
    const known = this.causes.get(name);
    this.causes.set(name, {
      row: { ...row, count: (known?.row.count ?? 0) + 1, last },
      told: known?.told ?? 0,
    });
  }

  /** Sends what metering does not have yet. Resolves when it has, or is away: it is sent again. */
  async tell(): Promise<void> {
    try {
      await this.tellAll();
    } catch (error) {
      if (!(error instanceof ControlError && error.code === 'unavailable')) throw error;
    }
  }

  private async tellAll(): Promise<void> {
    this.forget();
    const waiting = [...this.causes.values()].filter(({ row, told }) => row.count > told);
    for (let from = 0; from < waiting.length; from += perMessage) {
      const part = waiting.slice(from, from + perMessage);
      const minutes = part.map(({ row }) => row);
      await this.control.call(refusalOperations.record, { minutes }, { timeoutMs: sendTimeoutMs, absentMs: 0 });
      for (const { row } of part) this.taken(row);
    }
  }

  private hasRoomFor(keyId: string | null, status: number, reason: string, at: number): boolean {
    return this.causes.size < mostCauses || this.causes.has(nameOf({ minute: minuteOf(at), keyId, status, reason }));
  }

  /** More of the same may have come while it was on its way. */
  private taken(row: RefusedInMinute): void {
    const counted = this.causes.get(nameOf(row));
    if (counted) counted.told = row.count;
  }

  /** What is whole and known, or too old, is not needed any more. */
  private forget(): void {
    const nowMs = this.clock.nowMs();
    for (const [name, { row, told }] of this.causes) {
      if (row.minute + minuteMs > nowMs) continue;
      if (told < row.count && row.minute + keptMs > nowMs) continue;
      this.causes.delete(name);
      if (told < row.count) this.metrics.refusalsDropped(row.count - told);
    }
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
