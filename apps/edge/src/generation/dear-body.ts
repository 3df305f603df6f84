import { holdsMoreValues } from '@tollgate/dialects/surface';

/**
 * What the event loop reads at once: 8,192 values took 3 to 6 ms to be parsed and 10 to 20 ms to be looked
 * through for a guardrail, 80,000 names in 869 kB 60 and 170 ms; half a mebibyte of prose 3 ms.
 */
const mostValues = 8_192;
const mostBytes = 524_288;

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

/**
 * A body that is worked on by a thread, for what it becomes in memory or for its bytes: others would wait for
 * it.
 */
export function isDear(body: Uint8Array): boolean {
  return body.length > mostBytes || holdsMoreValues(body, mostValues);
}
