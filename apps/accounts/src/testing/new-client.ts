let clients = 0;

/** Who asks, each time from an address of its own, so that throttles of tests do not meet. */
export function newClient(): { address: string; userAgent: string } {
  clients += 1;
  return { address: `198.51.${Math.floor(clients / 250)}.${clients % 250}`, userAgent: 'a browser' };
}
