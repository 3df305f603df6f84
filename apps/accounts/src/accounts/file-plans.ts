import type { Plans } from './plan-table';

/** The plans of tollgate.yaml, as it was read last without a fault. */
export class FilePlans {
  constructor(public plans: Plans) {}
}
