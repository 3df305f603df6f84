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

/**
 * What an answer cost, as an event of a type of its own: clients of formats with named events pass over names
 * that they do not know.
 */
export function costEvent(cost: ToldCost): Uint8Array {
  const event = { type: 'tollgate.cost', ...costMembers(cost) };
  return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
