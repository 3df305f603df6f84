/** How an error object names a refusal beside its words; null: the dialect's usual word, or none. */
export interface RefusalDetails {
  /** The error's kind in the dialect's words. */
  type?: string | null;
  /** The field at fault. */
  param?: string | null;
  code?: string | null;
  status?: number;
  /** What programs read beside the words. */
  more?: Readonly<Record<string, unknown>>;
}

/** A request that the real API would refuse, with 400 unless `details` say otherwise. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly details: RefusalDetails = {},
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

/** @throws Refusal with `what` unless it holds. */
export function demand(holds: boolean, what: string, details: RefusalDetails = {}): asserts holds {
  if (!holds) throw new Refusal(what, details);
}
