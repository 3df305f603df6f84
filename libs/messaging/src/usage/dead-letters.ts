import { usageStream } from '@tollgate/contracts';
import { NatsError } from 'nats';
import type { JetStreamManager, NatsConnection, StoredMsg } from 'nats';
import { readUsageMessage } from './usage-message';
import type { ReadMessage } from './usage-message';

/**
 * The error codes of JetStream for a number that no message has (any more): when it is asked for, and when it
 * is to be removed and was the last or was not. The last code stands for other failures too, which have other
 * words; "store EOF" is said of a number that no message had yet:
 * https://github.com/nats-io/nats-server/blob/main/server/errors.json
 */
const absent = [10037, 10043];
const deleteFailed = 10057;

/**
 * A usage message that could not be stored. `at` is when it came to the dead letters, epoch milliseconds;
 * `events` what can be read of it now, and why the rest cannot.
 */
export interface UsageLetter {
  sequence: number;
  at: number;
  reason: string;
  body: Uint8Array;
  read: () => ReadMessage;
}

/**
 * The dead letters of usage in JetStream. They stay there until somebody removes them. Every method throws
 * what JetStream says when it does not answer.
 */
export class DeadLetters {
  constructor(private readonly connection: NatsConnection) {}

  /** The first letter with a number above `after`; null when there is none. */
  async next(after: number): Promise<UsageLetter | null> {
    // The subject makes the server look on from this number, past letters that were removed.
    return this.find({ seq: after + 1, next_by_subj: usageStream.deadLetterSubject });
  }

  /** Null: there is none of this number. */
  async get(sequence: number): Promise<UsageLetter | null> {
    return this.find({ seq: sequence });
  }

  /** False: there was none of this number. */
  async remove(sequence: number): Promise<boolean> {
    const manager = await this.manager();
    return (await orNull(manager.streams.deleteMessage(usageStream.deadLetterName, sequence, false))) ?? false;
  }

  private async find(query: { seq: number; next_by_subj?: string }): Promise<UsageLetter | null> {
    const manager = await this.manager();
    const message = await orNull(manager.streams.getMessage(usageStream.deadLetterName, query));
    return message && toLetter(message);
  }

  private manager(): Promise<JetStreamManager> {
    return this.connection.jetstreamManager({ checkAPI: false, timeout: 2_000 });
  }
}

function toLetter(message: StoredMsg): UsageLetter {
  return {
    sequence: message.seq,
    at: message.time.getTime(),
    reason: message.header.get('Tollgate-Reason'),
    body: message.data,
    read: () => readUsageMessage(message.data),
  };
}

/** Null: JetStream has no message of this number. */
export async function orNull<Value>(asked: Promise<Value>): Promise<Value | null> {
  try {
    return await asked;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  if (!(error instanceof NatsError) || !error.api_error) return false;
  const { err_code: code, description } = error.api_error;
  return (
    absent.some((one) => one === code) || (code === deleteFailed && /no message found|store EOF/.test(description))
  );
}
