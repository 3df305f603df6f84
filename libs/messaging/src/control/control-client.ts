import { setTimeout as sleep } from 'node:timers/promises';
import { ControlError, controlErrorBody } from '@tollgate/contracts';
import type { Operation } from '@tollgate/contracts';
import { ErrorCode, NatsError } from 'nats';
import type { Msg, NatsConnection } from 'nats';
import { z } from 'zod';
import { AnswerKey, isSealed } from '../sealing';

/**
 * The packets of Nest's NATS transport: a request carries an id, and its reply either `response` or `err`.
 * @see https://github.com/nestjs/nest/blob/master/packages/microservices/server/server-nats.ts
 */
const controlReply = z.object({ err: z.unknown().optional(), response: z.unknown().optional() });

/** Nest's own refusals (no handler, a fault in the framework) have another shape than ours. */
const controlFailure = controlErrorBody.or(
  z.unknown().transform(() => ({ code: 'internal' as const, message: 'The service failed to answer.' })),
);

const timeout: string = ErrorCode.Timeout;
const nobody: string = ErrorCode.NoResponders;
/** How soon an operation that nobody serves is asked for again, milliseconds. */
const againMs = 100;
/**
 * No answer of ours may take longer to begin when a part is away, however long its work may take,
 * milliseconds.
 */
const longestAbsenceMs = 5_000;
/** How often it is counted how long an answer was waited for, milliseconds. */
const sliceMs = 100;
/** How much longer an answer may come, at the most, to a process that stood still meanwhile, milliseconds. */
const standstillMs = 3_000;

/**
 * How long an answer is waited for, and how much of that time nobody may be there to give one (all of it, 5 s
 * at most, by default), milliseconds. Of time in which this process stands still up to 3 s are not counted.
 */
export interface CallPatience {
  timeoutMs?: number;
  absentMs?: number;
}

/**
 * Asks the control services (accounts, catalog, metering). All calls share one subscription of the
 * connection.
 */
export class ControlClient {
  private nextId = 1;
  private readonly answerKey = new AnswerKey();

  constructor(private readonly connection: NatsConnection) {}

  /**
   * Calls an operation and parses its reply. While nobody serves it, nobody has got the question: it is asked
   * again, since whoever is replaced or restarted is back in a moment.
   * @throws ControlError what the service refused with; `unavailable` when nobody serves it for `absentMs` or
   * no answer came within `timeoutMs`;
   * `internal` when the answer is not what the operation promises.
   */
  async call<Request extends z.ZodType, Reply extends z.ZodType>(
    operation: Operation<Request, Reply>,
    request: z.input<Request>,
    { timeoutMs = 2_000, absentMs = Math.min(timeoutMs, longestAbsenceMs) }: CallPatience = {},
  ): Promise<z.output<Reply>> {
    const { subject, quick } = operation;
    const data = quick ? Object.assign({}, request, quick.asked) : request;
    const packet = JSON.stringify({ pattern: subject, data, id: String(this.nextId++) });
    const message = await this.ask(subject, packet, { timeoutMs, absentMs });
    const reply = controlReply.safeParse(this.parse(message));
    if (!reply.success) throw unreadable(subject);
    if (reply.data.err) {
      const { code, message: text } = controlFailure.parse(reply.data.err);
      throw new ControlError(code, text);
    }
    const result = (quick?.reply ?? operation.reply).safeParse(reply.data.response);
    if (!result.success) throw unreadable(subject);
    return result.data;
  }

  /** Undefined: it is no JSON, or sealed for somebody else. */
  private parse(message: Msg): unknown {
    try {
      return isSealed(message) ? JSON.parse(this.answerKey.unseal(message.data).toString()) : message.json();
    } catch {
      return undefined;
    }
  }

  private async ask(subject: string, packet: string, patience: Required<CallPatience>): Promise<Msg> {
    const { timeoutMs, absentMs } = patience;
    const wait = new Wait();
    try {
      for (;;) {
        try {
          return await this.answer(subject, packet, wait, timeoutMs);
        } catch (error) {
          const code = error instanceof NatsError ? error.code : null;
          if (code !== nobody || wait.ms + againMs >= absentMs) {
            const reason = code === timeout ? `did not answer within ${timeoutMs} ms` : 'cannot be reached now';
            throw new ControlError('unavailable', `The service behind ${subject} ${reason}.`);
          }
          await sleep(againMs);
        }
      }
    } finally {
      wait.end();
    }
  }

  /** @throws NatsError when there is none once the wait is that long. */
  private answer(subject: string, packet: string, wait: Wait, timeoutMs: number): Promise<Msg> {
    const { headers } = this.answerKey;
    const answer = this.connection.request(subject, packet, { timeout: timeoutMs + standstillMs, headers });
    return new Promise((resolve, reject) => {
      wait.until(timeoutMs, () => reject(NatsError.errorForCode(ErrorCode.Timeout)));
      answer.then(resolve, reject);
    });
  }
}

/** A wait, of which no more is counted than two slices where a timer is late: its process stood still. */
class Wait {
  private countedMs = 0;
  private countedAtMs = performance.now();
  private endsAtMs = Number.POSITIVE_INFINITY;
  private onEnd: () => void = () => undefined;
  private readonly timer = setInterval(() => {
    this.countedMs = this.ms;
    this.countedAtMs = performance.now();
    // What came while it stood still is read first.
    if (this.countedMs >= this.endsAtMs) setImmediate(this.onEnd);
  }, sliceMs);

  get ms(): number {
    return this.countedMs + Math.min(performance.now() - this.countedAtMs, 2 * sliceMs);
  }

  until(ms: number, onEnd: () => void): void {
    this.endsAtMs = ms;
    this.onEnd = onEnd;
  }

  end(): void {
    clearInterval(this.timer);
  }
}

function unreadable(subject: string): ControlError {
  return new ControlError('internal', `The answer of ${subject} is not what the operation promises.`);
}
