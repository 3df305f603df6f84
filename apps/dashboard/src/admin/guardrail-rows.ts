import type { GuardrailCount, ListedGuardrail } from '../api/guardrails';

/**
 * A guardrail with in how many requests and answers it did what it does; null: not known. `isGone`: it is in
 * force no more, or does something else by now.
 */
export interface GuardrailRow extends ListedGuardrail {
  isGone: boolean;
  input: number | null;
  output: number | null;
  lastHour: number | null;
}

/** Guardrails in their order, then what those did that are gone, or acted otherwise when it was found. */
export function guardrailRows(
  guardrails: readonly ListedGuardrail[],
  counts: readonly GuardrailCount[] | null,
): GuardrailRow[] {
  const known = new Set(guardrails.map(rowId));
  const gone = new Map<string, ListedGuardrail>();
  for (const { guardrail: id, action, side } of counts ?? []) {
    const former: ListedGuardrail = { id, action, kind: '', appliesTo: side, keys: [], models: [], looksFor: [] };
    if (!known.has(rowId(former)) && !gone.has(rowId(former))) gone.set(rowId(former), former);
  }
  return [...guardrails, ...gone.values()].map((guardrail) => {
    const { id, action } = guardrail;
    const own = counts?.filter((one) => one.guardrail === id && one.action === action) ?? null;
    const sum = (side: GuardrailCount['side']) =>
      own && own.filter((one) => one.side === side).reduce((total, { count }) => total + count, 0);
    const lastHour = own && own.length > 0 ? Math.max(...own.map((one) => one.lastHour)) : null;
    return { ...guardrail, isGone: !known.has(rowId(guardrail)), input: sum('input'), output: sum('output'), lastHour };
  });
}

/** What tells rows apart. */
export const rowId = ({ id, action }: Pick<ListedGuardrail, 'id' | 'action'>): string => `${id} ${action}`;
