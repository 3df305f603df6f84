import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@tollgate/observability';
import { Clock } from '../clock';
import { EdgeMetrics } from '../health/edge-metrics';
import type { RequestContext } from '../http/request-context';
import type { Answer } from '../generation/answer';
import type { CallerResponse } from '../generation/caller-response';
import type { SurfaceDialect } from '@tollgate/dialects/surface';
import { LOGGER, Settings } from '../settings';
import type { TurnToKeep } from './stateful-requests';
import { StoringAnswer } from './storing-answer';
import { TurnStore } from './turn-store';

/** Longer than this the end of an answer does not wait to be kept, milliseconds. */
const patienceMs = 2_000;
/** After that so many answers end at once, unkept, milliseconds. */
const pauseMs = 5_000;
const warning = 'the response was not stored: it cannot be gone on from by its id';

/** What an answer is written to. `stream` null: it is none. */
interface Place {
  readonly answer: Answer;
  readonly response: CallerResponse;
  readonly context: RequestContext;
  readonly stream: SurfaceDialect | null;
}

/** Keeps responses before their end is told. That it cannot costs nobody an answer. */
@Injectable()
export class TurnKeeper {
  private pausedUntilMs = 0;

  constructor(
    private readonly store: TurnStore,
    private readonly clock: Clock,
    private readonly metrics: EdgeMetrics,
    private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** False: the operator has it switched off. */
  get isOn(): boolean {
    return this.settings.storesResponses;
  }

  /** An answer that does what `answer` does, and is kept. */
  keeping(turn: TurnToKeep, { answer, response, context, stream }: Place): Answer {
    return new StoringAnswer({
      answer,
      stream,
      mostBytes: this.settings.bodyLimit,
      onConsumed: (bytes) => response.onConsumed(bytes),
      keep: (told) => this.keep(turn, told),
      onNotKept: () => context.warn(warning),
    });
  }

  private async keep(toKeep: TurnToKeep, response: Record<string, unknown>): Promise<boolean> {
    const { id } = response;
    if (typeof id !== 'string' || this.clock.monotonicMs() < this.pausedUntilMs) return this.counted(false);
    const output: unknown[] = Array.isArray(response.output) ? response.output : [];
    const { key, bornAt, previous, input } = toKeep;
    const kept = this.store.keep({
      accountId: key.accountId,
      keyId: key.id,
      id,
      bornAt,
      previous,
      itemIds: output.flatMap(idOf),
      turn: { input, output: json(output), response: json(response) },
    });
    return this.counted(await this.inTime(kept));
  }

  private async inTime(kept: Promise<void>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), patienceMs)));
    const done = kept.then(
      () => true,
      (error: unknown) => {
        this.logger.warn({ err: error }, 'a response could not be stored');
        return false;
      },
    );
    const isKept = await Promise.race([done, tooLate]);
    clearTimeout(timer);
    if (!isKept) this.pausedUntilMs = this.clock.monotonicMs() + pauseMs;
    return isKept;
  }

  private counted(isKept: boolean): boolean {
    this.metrics.responseStored(isKept);
    return isKept;
  }
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function idOf(item: unknown): string[] {
  return typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'string' ? [item.id] : [];
}
