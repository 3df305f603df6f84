import { Inject, Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { largeBytes } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { Clock } from '../clock';
import { EdgeMetrics } from '../health/edge-metrics';
import type { RequestContext } from '../http/request-context';
import type { Answer } from '../generation/answer';
import type { CallerResponse } from '../generation/caller-response';
import { isRecord } from '@tollgate/dialects/surface';
import type { SurfaceDialect } from '@tollgate/dialects/surface';
import { LOGGER, Settings } from '../settings';
import { itemsIn, newItem } from './conversation-item';
import type { TurnToKeep } from './stateful-requests';
import { StoringAnswer } from './storing-answer';
import { bytesOf, isKeptId } from './turn';
import { TurnStore } from './turn-store';

/** Longer than this the end of an answer does not wait to be kept, milliseconds. */
const patienceMs = 2_000;
/** Where nothing can be kept, answers of so long end at once, unkept, milliseconds. */
const pauseMs = 5_000;
/** More items of one response cannot be named. */
const mostItemIds = 10_000;
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
      onKept: (isKept) => {
        this.metrics.responseStored(isKept);
        if (!isKept) context.warn(warning);
      },
    });
  }

  private async keep(toKeep: TurnToKeep, response: Record<string, unknown>): Promise<boolean> {
    const { id } = response;
    const { key, bornAt, previous, input, conversation, isStored } = toKeep;
    // Metering was there a moment ago for who has a conversation open.
    if (!isKeptId(id) || (!conversation && this.clock.monotonicMs() < this.pausedUntilMs)) return false;
    const output: unknown[] = Array.isArray(response.output) ? response.output : [];
    const { output: _, ...rest } = response;
    const turn = { input, output: json(output), rest: json(rest) };
    const itemIds = output.flatMap(idOf).slice(0, mostItemIds);
    const facts = { accountId: key.accountId, keyId: key.id, id, bornAt, previous, itemIds };
    const keep = async () => {
      await conversation?.add([...itemsIn(input), ...output.filter(isRecord)].map(newItem));
      if (isStored) await this.store.keep({ ...facts, turn });
    };
    return this.inTime(keep(), bytesOf(turn) > largeBytes);
  }

  /** What is large may take longer than that, which says nothing of the others. */
  private async inTime(kept: Promise<void>, isLarge: boolean): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), patienceMs)));
    const done = kept.then(
      () => true,
      (error: unknown) => {
        this.logger.warn({ err: error }, 'a response could not be stored');
        return error instanceof ControlError && error.code === 'unavailable' ? null : false;
      },
    );
    const isKept = await Promise.race([done, tooLate]);
    clearTimeout(timer);
    if (isKept === null && !isLarge) this.pausedUntilMs = this.clock.monotonicMs() + pauseMs;
    return isKept ?? false;
  }
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function idOf(item: unknown): string[] {
  return typeof item === 'object' && item !== null && 'id' in item && isKeptId(item.id) ? [item.id] : [];
}
