import type { ListedBudget } from '../api/budgets';
import { Badge } from '../design/badge';
import { ModelLink } from '../requests/links';

/** What happens to a request that may cost more than is left. */
export function AtLimit({ budget: { soft, fallbackModel } }: { budget: Pick<ListedBudget, 'soft' | 'fallbackModel'> }) {
  if (!soft) return <Badge tone="plain">Refuses</Badge>;
  if (fallbackModel === null) return <Badge tone="accent">Warns</Badge>;
  return (
    <span>
      <Badge tone="accent">Falls back</Badge> <ModelLink model={fallbackModel} />
    </span>
  );
}
