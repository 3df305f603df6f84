import type { GuardrailCount, ListedGuardrail } from '../api/guardrails';

/**
 * A guardrail with in how many requests and answers it found something; null: not known. `isGone`: it is in
 * force no more.
 */
export interface GuardrailRow extends ListedGuardrail {
  isGone: boolean;
  input: number | null;
  output: number | null;
  lastHour: number | null;
}

/** Guardrails in their order, then those of which only findings are left. */
export function guardrailRows(
  guardrails: readonly ListedGuardrail[],
  counts: readonly GuardrailCount[] | null,
): GuardrailRow[] {
  const known = new Set(guardrails.map(({ id }) => id));
  const gone = [...new Set(counts?.map(({ guardrail }) => guardrail))].filter((id) => !known.has(id));
  const left = gone.map((id): ListedGuardrail => {
    const found = counts?.find(({ guardrail }) => guardrail === id);
    const action = found?.action ?? 'flag';
    return { id, kind: '', appliesTo: found?.side ?? 'both', action, keys: [], models: [], looksFor: [] };
  });
  return [...guardrails, ...left].map((guardrail) => {
    const own = counts?.filter((one) => one.guardrail === guardrail.id) ?? null;
    const sum = (side: GuardrailCount['side']) =>
      own && own.filter((one) => one.side === side).reduce((total, { count }) => total + count, 0);
    const lastHour = own && own.length > 0 ? Math.max(...own.map((one) => one.lastHour)) : null;
    return { ...guardrail, isGone: !known.has(guardrail.id), input: sum('input'), output: sum('output'), lastHour };
  });
}
