/** A request that the real API would refuse with 400. `param` names the field, null when none is at fault. */
export class RequestError extends Error {
  constructor(
    message: string,
    readonly param: string | null,
    readonly code: string | null = null,
  ) {
    super(message);
    this.name = 'RequestError';
  }
}
