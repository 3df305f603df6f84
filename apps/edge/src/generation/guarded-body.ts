import { guardrailError } from '@tollgate/contracts';
import type { GuardrailAction } from '@tollgate/contracts/catalog';
import { repeatsNames, textRunsOf, withTexts } from '@tollgate/dialects/surface';
import type { Guard } from '@tollgate/guardrails';

/** What a guardrail found in a request, without the text. */
export interface Found {
  readonly guardrail: string;
  readonly action: GuardrailAction;
}

/**
 * Which guardrails a body goes through elsewhere: those of these `rules` (`Guardrail[]` as JSON) that hold
 * for the key and the model.
 */
export interface GuardOrder {
  readonly rules: string;
  readonly keyId: string;
  readonly model: string;
}

/**
 * Looks through a parsed body. Texts that come again are looked through once. It returns the same object,
 * unless something was taken out, or the `bytes` that it was parsed from hold what it does not: a member that
 * a later one of the same name hides.
 * @throws GatewayError 400 naming the guardrail that blocks it.
 */
export function guardedBody(guard: Guard, body: unknown, bytes: Uint8Array): unknown {
  const known = new Map<string, string>();
  const passed: string[] = [];
  for (const { texts, places } of textRunsOf(body)) {
    const [only = ''] = texts;
    const seen = texts.length === 1 ? known.get(only) : undefined;
    const { texts: left, blockedBy } =
      seen === undefined ? atOnce(guard.check(texts)) : { texts: [seen], blockedBy: null };
    if (blockedBy !== null) throw guardrailError('request', blockedBy);
    if (texts.length === 1) known.set(only, left[0] ?? '');
    for (const [index, place] of places.entries()) passed[place] = left[index] ?? '';
  }
  const left = withTexts(body, passed);
  return left === body && repeatsNames(bytes, body) ? { ...(body as object) } : left;
}

/** Whether a text may not go on as it is. */
export function isChanged(guard: Guard, text: string): boolean {
  const { texts, blockedBy } = atOnce(guard.check([text]));
  return blockedBy !== null || texts[0] !== text;
}

function atOnce<Result>(steps: Iterator<number, Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
