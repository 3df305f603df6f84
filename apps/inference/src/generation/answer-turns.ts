import { AccountPace, ReadTurns } from '@tollgate/messaging';
import type { Owner } from '@tollgate/messaging';
import type { AttemptOrder } from './attempt-order';

/**
 * So much of the answers for one account is read a second beside others, after as much at twice that: each
 * megabyte takes some milliseconds of CPU until its caller has it, in all processes, and more where it is
 * kept.
 */
const paceBounds = { bytesPerS: 33_554_432, burstBytes: 33_554_432, peakBytesPerS: 67_108_864 };

/** Whose answers are read when: by their accounts' shares of a turn of the event loop, and by their pace. */
export class AnswerTurns {
  constructor(
    private readonly pace = new AccountPace(paceBounds),
    private readonly turns = new ReadTurns(),
  ) {}

  /** Resolves when work for a key that costs as much as reading so many bytes may be done. */
  turn(owner: Owner, bytes: number): Promise<void> {
    return this.turns.turn(owner, bytes);
  }

  /** How one answer is read. */
  reader(owner: Owner): AttemptOrder['read'] {
    let broughtBytes = 0;
    return (bytes, resume) => {
      broughtBytes += bytes;
      const waitMs = this.pace.pieceMs(owner.accountId, bytes, broughtBytes);
      if (waitMs === 0) return this.turns.read(owner, bytes, resume);
      setTimeout(() => void this.turns.turn(owner, bytes).then(resume), waitMs).unref();
      return true;
    };
  }
}
