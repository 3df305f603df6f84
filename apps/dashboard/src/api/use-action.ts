import { useState } from 'react';
import { messageOf } from './api-error';

/** Something a person starts: whether it goes on, and what went wrong (null: nothing). */
export function useAction<Input extends unknown[]>(
  work: (...input: Input) => Promise<unknown>,
): {
  run: (...input: Input) => Promise<void>;
  busy: boolean;
  problem: string | null;
} {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const run = async (...input: Input) => {
    setBusy(true);
    setProblem(null);
    try {
      await work(...input);
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { run, busy, problem };
}
