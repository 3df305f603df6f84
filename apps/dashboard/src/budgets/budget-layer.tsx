import { useQueryClient } from '@tanstack/react-query';
import { removeBudget } from '../api/budgets';
import type { ListedBudget } from '../api/budgets';
import { ConfirmDialog } from '../design/confirm-dialog';
import { ChangeBudgetDialog } from './change-budget-dialog';
import { CreateBudgetDialog } from './create-budget-dialog';

/** What lies above a page of budgets, if anything. */
export type BudgetLayerState =
  | { kind: 'create'; accountId: string | null }
  | { kind: 'change' | 'remove'; budget: ListedBudget }
  | null;

/** The dialog that is open. What it did shows on every page at once. `onRemoved`: the budget is gone. */
export function BudgetLayer({
  layer,
  onClose,
  onRemoved,
}: {
  layer: BudgetLayerState;
  onClose: () => void;
  onRemoved?: () => void;
}) {
  const client = useQueryClient();
  const refresh = () => void client.invalidateQueries({ queryKey: ['budgets'] });
  switch (layer?.kind) {
    case 'create':
      return <CreateBudgetDialog accountId={layer.accountId} onClose={onClose} onMade={refresh} />;
    case 'change':
      return <ChangeBudgetDialog budget={layer.budget} onClose={onClose} onChanged={refresh} />;
    case 'remove':
      return (
        <ConfirmDialog
          open
          onClose={onClose}
          title={`Remove the budget "${layer.budget.name}"?`}
          action="Remove the budget"
          onConfirm={async () => {
            await removeBudget(layer.budget.id);
            onRemoved?.();
            refresh();
          }}
        >
          Within a second nothing is kept within it any more. What was spent stays in the reports; a budget of the same
          name can be set again.
        </ConfirmDialog>
      );
    default:
      return null;
  }
}
