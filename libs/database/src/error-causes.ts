const deepest = 5;

/**
 * An error and what it was caused by, outermost first. Prisma keeps the driver's error of a raw query in
 * `meta.driverAdapterError`.
 */
export function* errorCauses(error: unknown): Generator<object> {
  let cause = error;
  for (let depth = 0; cause instanceof Object && depth < deepest; depth++) {
    yield cause;
    cause = 'cause' in cause ? cause.cause : 'meta' in cause ? adapterError(cause.meta) : null;
  }
}

/** The codes that an error or one of its causes carries: SQLSTATEs, Prisma's, Node's. */
export function errorCodes(error: unknown): string[] {
  return [...errorCauses(error)].flatMap((cause) =>
    ['code', 'originalCode'].flatMap((name) => {
      const code: unknown = Reflect.get(cause, name);
      return typeof code === 'string' ? [code] : [];
    }),
  );
}

function adapterError(meta: unknown): unknown {
  return meta instanceof Object && 'driverAdapterError' in meta ? meta.driverAdapterError : null;
}
