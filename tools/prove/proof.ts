import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';

/** Options of a command line, as `parseArgs` of Node takes them. */
export type ProofOptions = NonNullable<ParseArgsConfig['options']>;
export type ProofValues<Options extends ProofOptions> = ReturnType<typeof parseArgs<{ options: Options }>>['values'];

/** A proof of something that Tollgate promises. */
export interface Proof {
  name: string;
  proves: string;
  /** Rows of docs/promises.md. */
  promises: readonly number[];
  options: ProofOptions;
  /**
   * Takes the options of a command line. Returns whether it holds; throws where it could not be played, or
   * for an unknown option.
   */
  play: (args: string[], say: Say) => Promise<boolean>;
}

/** Hears what happens, a line or more at a time. */
export type Say = (text: string) => void;

/** One row of the table of proofs. */
export interface ProofPlan<Options extends ProofOptions> extends Omit<Proof, 'options' | 'play'> {
  options: Options;
  run: (values: ProofValues<Options>, say: Say) => Promise<boolean>;
}

/** A proof that reads its own options, so that proofs of different options stand in one table. */
export function proof<Options extends ProofOptions>({ run, ...plan }: ProofPlan<Options>): Proof {
  return { ...plan, play: (args, say) => run(parseArgs({ args, options: plan.options }).values, say) };
}
