/** A request's body is larger than what is read of one: Fastify answers 413. */
export class TooLarge extends Error {
  readonly statusCode = 413;
}

/**
 * The whole body of a request, in memory of its announced size into which each piece is written as it comes.
 * Put together at the end, as Fastify does, a picture of 6 MiB held up whoever else asks this process, which
 * no provider does: new memory is given page by page at its first use.
 * @throws TooLarge for one of more than `mostBytes`.
 */
export async function wholeBody(body: AsyncIterable<Buffer>, announced: number, mostBytes: number): Promise<Buffer> {
  if (announced > mostBytes) throw new TooLarge();
  let whole = Buffer.allocUnsafeSlow(announced);
  let length = 0;
  for await (const piece of body) {
    const needed = length + piece.length;
    if (needed > mostBytes) throw new TooLarge();
    if (needed > whole.length) {
      // Nothing was announced: it grows as it comes.
      const larger = Buffer.allocUnsafeSlow(Math.min(mostBytes, Math.max(needed, 2 * whole.length)));
      whole.copy(larger, 0, 0, length);
      whole = larger;
    }
    piece.copy(whole, length);
    length = needed;
  }
  return whole.subarray(0, length);
}
