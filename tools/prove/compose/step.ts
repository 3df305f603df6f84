import type { Installation } from './installation';

/** What the steps have in common. */
export interface Site {
  installation: Installation;
  /** Set by the first step. */
  apiKey: string;
  perSecond: number;
  say: (line: string) => void;
}

export interface Step {
  name: string;
  /** @throws Error when what the docs promise is not so. */
  run(site: Site): Promise<void>;
}

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
