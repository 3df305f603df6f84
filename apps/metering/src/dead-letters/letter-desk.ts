import { ControlError } from '@tollgate/contracts';
import type { DeadLetter } from '@tollgate/contracts';
import { DeadLetters, UnusableEventsError } from '@tollgate/messaging';
import type { UsageLetter } from '@tollgate/messaging';
import type { IngestResult, UsageIngest } from '../ingest/usage-ingest';
import type { LedgerReply, LedgerRequest } from '../operations';

/** A reply must fit into one NATS message (1 MiB). */
const mostCharacters = 200_000;

/** The dead letters of usage, for operators: shown, stored after all, or dropped. */
export class LetterDesk {
  constructor(
    private readonly letters: DeadLetters,
    /** Makes an ingest that tells what it stored. */
    private readonly ingest: (onResult: (result: IngestResult) => void) => UsageIngest,
  ) {}

  async list({ after, limit }: LedgerRequest<'listDeadLetters'>): Promise<LedgerReply<'listDeadLetters'>> {
    const letters: DeadLetter[] = [];
    let letter = await this.ask(() => this.letters.next(after));
    while (letter && letters.length < limit) {
      const { sequence } = letter;
      letters.push(summary(letter));
      letter = await this.ask(() => this.letters.next(sequence));
    }
    return { letters, next: letter ? (letters.at(-1)?.sequence ?? null) : null };
  }

  /** @throws ControlError `not_found`. */
  async show(sequence: number): Promise<LedgerReply<'showDeadLetter'>> {
    const letter = await this.find(sequence);
    return { ...summary(letter), body: Buffer.from(letter.body).toString().slice(0, mostCharacters) };
  }

  /**
   * Stores what can be read now. The events go into the ledger here, not back into the stream: whoever asked sees what became of them, and a letter leaves
   * only after its events are committed, so that a crash in between repeats the work, to no effect.
   * @throws ControlError `not_found`; what the database says when nothing was stored.
   */
  async replay(sequence: number): Promise<LedgerReply<'replayDeadLetter'>> {
    const letter = await this.find(sequence);
    const { events, problems } = letter.read();
    let received = 0;
    let stored = 0;
    const ingest = this.ingest((result) => {
      received += result.received;
      stored += result.inserted;
    });
    try {
      await ingest.ingest(events);
    } catch (error) {
      if (!(error instanceof UnusableEventsError)) throw error;
      problems.push(error.message);
    }
    const removed = problems.length === 0 && (await this.ask(() => this.letters.remove(sequence)));
    return { stored, alreadyStored: received - stored, problems, removed };
  }

  /** @throws ControlError `not_found`. */
  async drop(sequence: number): Promise<void> {
    if (!(await this.ask(() => this.letters.remove(sequence)))) throw notFound(sequence);
  }

  private async find(sequence: number): Promise<UsageLetter> {
    const letter = await this.ask(() => this.letters.get(sequence));
    if (!letter) throw notFound(sequence);
    return letter;
  }

  private async ask<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch {
      throw new ControlError('unavailable', 'JetStream does not tell the dead letters; try again in a moment.');
    }
  }
}

function summary({ sequence, at, reason, body }: UsageLetter): DeadLetter {
  return { sequence, at, reason, bytes: body.length };
}

function notFound(sequence: number): ControlError {
  return new ControlError('not_found', `There is no dead letter ${sequence}. tollgate dead-letters list shows them.`);
}
