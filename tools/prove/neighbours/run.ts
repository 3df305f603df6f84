import type { ProofValues, Say } from '../proof';
import { withStack } from '../with-stack';
import { neighboursReport } from './neighbours-report';
import { neighboursEnvironment, proveNeighbours } from './prove-neighbours';
import { mostExtraMs, mostMemoryBytes } from './verdict';

/**
 * `--only` picks kinds by parts of their names, with commas between; `--patience 4` grants four times the 5 ms, for a machine that does other things too, `--patience 0`
 * does not judge times; `--keep` leaves logs for a look.
 */
export const neighboursOptions = {
  only: { type: 'string', default: '' },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '4' },
  patience: { type: 'string', default: '1' },
  keep: { type: 'boolean', default: false },
} as const;

/** Holds when the victim noticed none of its neighbours. */
export function runNeighbours(values: ProofValues<typeof neighboursOptions>, onProgress: Say): Promise<boolean> {
  const options = { durable: false, onProgress, keep: values.keep, environment: neighboursEnvironment };
  return withStack(options, async (stack) => {
    const patience = Number(values.patience);
    const neighbours = await proveNeighbours(stack, {
      chosen: (attack) => values.only.split(',').some((part) => attack.includes(part)),
      rounds: Number(values.rounds),
      roundMs: Number(values.seconds) * 1_000,
      bounds: { extraMs: patience === 0 ? null : mostExtraMs * patience, memoryBytes: mostMemoryBytes },
      onProgress,
    });
    onProgress(neighboursReport(neighbours));
    return neighbours.length > 0 && neighbours.every(({ problems }) => problems.length === 0);
  });
}
