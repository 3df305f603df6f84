/**
 * What an answer cost, as an event of a type of its own: clients of formats with named events pass over names
 * that they do not know.
 */
export function costEvent(cost: string): Uint8Array {
  const event = { type: 'tollgate.cost', x_tollgate_cost: cost };
  return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
