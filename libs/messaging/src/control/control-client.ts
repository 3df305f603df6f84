import { ControlError } from '@tollgate/contracts';
import type { Operation } from '@tollgate/contracts';
import { ErrorCode, NatsError } from 'nats';
import type { Msg, NatsConnection } from 'nats';
import type { z } from 'zod';
import { AnswerKey, isSealed } from '../sealing/sealing';
import { controlFailure, controlReply } from './control-packet';

const timeout: string = ErrorCode.Timeout;

/** Asks the control services (accounts, catalog, metering). All calls share one subscription of the connection. */
export class ControlClient {
  private nextId = 1;
  private readonly answerKey = new AnswerKey();

  constructor(private readonly connection: NatsConnection) {}

  /**
   * Calls an operation and parses its reply.
   * @throws ControlError what the service refused with; `unavailable` when nobody serves it or no answer came within `timeoutMs`;
   * `internal` when the answer is not what the operation promises.
   */
  async call<Request extends z.ZodType, Reply extends z.ZodType>(
    operation: Operation<Request, Reply>,
    request: z.input<Request>,
    { timeoutMs = 2_000 }: { timeoutMs?: number } = {},
  ): Promise<z.output<Reply>> {
    const packet = JSON.stringify({ pattern: operation.subject, data: request, id: String(this.nextId++) });
    const message = await this.ask(operation.subject, packet, timeoutMs);
    const reply = controlReply.safeParse(this.parse(message));
    if (!reply.success) throw unreadable(operation.subject);
    if (reply.data.err) {
      const { code, message: text } = controlFailure.parse(reply.data.err);
      throw new ControlError(code, text);
    }
    const result = operation.reply.safeParse(reply.data.response);
    if (!result.success) throw unreadable(operation.subject);
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

  private async ask(subject: string, packet: string, timeoutMs: number): Promise<Msg> {
    try {
      const { headers } = this.answerKey;
      return await this.connection.request(subject, packet, { timeout: timeoutMs, headers });
    } catch (error) {
      const silent = error instanceof NatsError && error.code === timeout;
      const reason = silent ? `did not answer within ${timeoutMs} ms` : 'cannot be reached now';
      throw new ControlError('unavailable', `The service behind ${subject} ${reason}.`);
    }
  }
}

function unreadable(subject: string): ControlError {
  return new ControlError('internal', `The answer of ${subject} is not what the operation promises.`);
}
