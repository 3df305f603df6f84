import { ControlError } from '@tollgate/contracts';
import type { EdgeRoute } from '@tollgate/contracts/edge';
import { CommanderError } from 'commander';
import type { z } from 'zod';

/**
 * 0: done. 1: refused, or something is not as it should be. 2: the command line is wrong. 3: the gateway or
 * one of its services cannot be reached.
 */
export const exitCodes = { done: 0, refused: 1, usage: 2, unavailable: 3 } as const;

/** The command was understood but cannot succeed; the message says why and what to do. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly exitCode: number = exitCodes.refused,
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

/** Whoever asks may not: a token lacks the scope. */
export class Forbidden extends Refusal {}

/** The admin API has no route for what was asked, so that it is asked beside the gateway alone. */
export class NotInAdminApi extends Refusal {
  constructor(what: string) {
    super(`${what} is not in the admin API: run this where the gateway runs, without TOLLGATE_URL.`);
  }
}

/** What edge alone answers is asked over HTTP, also beside the gateway. */
export class OnlyInAdminApi extends Refusal {
  constructor({ path, scope }: Pick<EdgeRoute<z.ZodObject, z.ZodType>, 'path' | 'scope'>) {
    super(
      `${path} is in the admin API alone: set TOLLGATE_URL and TOLLGATE_TOKEN ` +
        `(tollgate tokens create, with the scope ${scope}).`,
    );
  }
}

/** What to tell the person, and the exit code. `message` is null when everything was told already. */
export function failureOf(error: unknown): { message: string | null; exitCode: number } {
  // Commander has printed its own message; help and the version are no failures.
  if (error instanceof CommanderError)
    return { message: null, exitCode: error.exitCode === 0 ? exitCodes.done : exitCodes.usage };
  if (error instanceof Refusal) return { message: error.message, exitCode: error.exitCode };
  if (error instanceof ControlError) {
    if (error.code !== 'unavailable') return { message: error.message, exitCode: exitCodes.refused };
    return {
      message: `${error.message}\nIs the gateway running? See: tollgate status`,
      exitCode: exitCodes.unavailable,
    };
  }
  const reason = error instanceof Error ? error.message : String(error);
  return { message: `This should not have happened: ${reason}`, exitCode: exitCodes.refused };
}

/** What is only told beside the gateway; null: it is asked over HTTP, where something else tells it. */
export async function unlessRemote<Told>(told: Promise<Told>): Promise<Told | null> {
  try {
    return await told;
  } catch (error) {
    if (error instanceof NotInAdminApi) return null;
    throw error;
  }
}
