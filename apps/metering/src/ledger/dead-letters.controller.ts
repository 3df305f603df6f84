import { Controller } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { ledgerOperations } from '@tollgate/contracts/metering';
import type { DeadLetter } from '@tollgate/contracts/metering';
import { DeadLetters, Serve, UnusableEventsError } from '@tollgate/messaging';
import type { UsageLetter } from '@tollgate/messaging';
import { databaseAnswer } from '../databases';
import { UsageIngest } from '../ingest/usage-ingest';
import type { LedgerReply, LedgerRequest } from '../operations';

/** A reply must fit into one NATS message (1 MiB). */
const mostCharacters = 200_000;

/** What operators do about usage that could not be stored: it is shown, stored after all, or dropped. */
@Controller()
export class DeadLettersController {
  constructor(
    private readonly letters: DeadLetters,
    private readonly ingest: UsageIngest,
  ) {}

  @Serve(ledgerOperations.listDeadLetters)
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
  @Serve(ledgerOperations.showDeadLetter)
  async show({ sequence }: LedgerRequest<'showDeadLetter'>): Promise<LedgerReply<'showDeadLetter'>> {
    const letter = await this.find(sequence);
    return { ...summary(letter), body: Buffer.from(letter.body).toString().slice(0, mostCharacters) };
  }

  /**
   * Stores what can be read now. The events go into the ledger here, not back into the stream: whoever asked
   * sees what became of them, and a letter leaves only after its events are committed, so that a crash in
   * between repeats the work, to no effect.
   * @throws ControlError `not_found`; what the database says when nothing was stored.
   */
  @Serve(ledgerOperations.replayDeadLetter)
  replay({ sequence }: LedgerRequest<'replayDeadLetter'>): Promise<LedgerReply<'replayDeadLetter'>> {
    return databaseAnswer(async () => {
      const letter = await this.find(sequence);
      const { events, problems } = letter.read();
      let received = 0;
      let stored = 0;
      try {
        await this.ingest.ingest(events, (result) => {
          received += result.received;
          stored += result.inserted;
        });
      } catch (error) {
        if (!(error instanceof UnusableEventsError)) throw error;
        problems.push(error.message);
      }
      const removed = problems.length === 0 && (await this.ask(() => this.letters.remove(sequence)));
      return { stored, alreadyStored: received - stored, problems, removed };
    });
  }

  /** @throws ControlError `not_found`. */
  @Serve(ledgerOperations.dropDeadLetter)
  async drop({ sequence }: LedgerRequest<'dropDeadLetter'>): Promise<LedgerReply<'dropDeadLetter'>> {
    if (!(await this.ask(() => this.letters.remove(sequence)))) throw notFound(sequence);
    return {};
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
