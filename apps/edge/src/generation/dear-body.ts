import { holdsMoreValues } from '@tollgate/dialects/surface';

/**
 * What is looked through for guardrails on the event loop: a text takes some 40 µs for two guardrails,
 * however short it is. 40 requests a second of 2,500 texts, which hold fewer values than those above, left 37
 * of 40 requests of others without an answer.
 */
const mostGuardedValues = 128;
const mostGuardedBytes = 65_536;

/** A body that is looked through by a thread where guardrails hold for it. */
export function isDearToGuard(body: Uint8Array): boolean {
  return body.length > mostGuardedBytes || holdsMoreValues(body, mostGuardedValues);
}
