/**
 * What a caller is told that an answer cost. `amount`: dollars, or a word for why not. `isUnconfirmed`: the
 * price behind it may be another.
 */
export interface ToldCost {
  readonly amount: string;
  readonly isUnconfirmed: boolean;
}

/** The members of an event that tell it. */
export function costMembers({ amount, isUnconfirmed }: ToldCost): Record<string, unknown> {
  return { x_tollgate_cost: amount, ...(isUnconfirmed && { x_tollgate_cost_unconfirmed: true }) };
}
