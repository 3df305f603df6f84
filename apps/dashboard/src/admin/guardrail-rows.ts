import type { GuardrailCount, ListedGuardrail } from '../api/guardrails';

/**
 * A guardrail with in how many requests and answers it did what it does; null: not known. `isGone`: it is in
 * force no more in this way.
 */
export interface GuardrailRow extends ListedGuardrail {
  isGone: boolean;
  /** It is in force, and does something else. */
  didSoBefore: boolean;
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
    const name = rowId({ id, action });
    if (known.has(name)) continue;
    const before = gone.get(name)?.appliesTo ?? side;
    const appliesTo = before === side ? side : 'both';
    gone.set(name, { id, action, kind: '', appliesTo, keys: [], models: [], looksFor: [] });
  }
  return [...guardrails, ...gone.values()].map((guardrail) => {
    const { id, action } = guardrail;
    const own = counts?.filter((one) => one.guardrail === id && one.action === action) ?? null;
    const sum = (side: GuardrailCount['side']) =>
      own && own.filter((one) => one.side === side).reduce((total, { count }) => total + count, 0);
    const lastHour = own && own.length > 0 ? Math.max(...own.map((one) => one.lastHour)) : null;
    const isGone = !known.has(rowId(guardrail));
    const didSoBefore = isGone && guardrails.some((one) => one.id === id);
    return { ...guardrail, isGone, didSoBefore, input: sum('input'), output: sum('output'), lastHour };
  });
}

/** What tells rows apart. */
export const rowId = ({ id, action }: Pick<ListedGuardrail, 'id' | 'action'>): string => `${id} ${action}`;
