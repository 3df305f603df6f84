import { ControlError } from '@tollgate/contracts';
import { eventually } from '@tollgate/testing';

/** Takes a turn of work again, as its schedule does, for as long as a busy database does not answer. */
export function untilTaken(turn: () => Promise<void>): Promise<void> {
  return eventually(async () => {
    try {
      await turn();
      return true;
    } catch (error) {
      if (error instanceof ControlError && error.code === 'unavailable') return false;
      throw error;
    }
  }, 10_000);
}
