import type { ReactElement } from 'react';
import type { ListedBudget } from '../api/budgets';
import { BudgetLayer } from './budget-layer';

const invalidateQueries = jest.fn();
jest.mock('@tanstack/react-query', () => ({
  ...jest.requireActual<object>('@tanstack/react-query'),
  useQueryClient: () => ({ invalidateQueries }),
}));

describe('what lies above a page of budgets', () => {
  const budget = { id: 'budget', name: 'team' } as ListedBudget;

  it.each(['create', 'change', 'remove'] as const)(
    'has the budgets read anew when it is closed (%s): what had no answer may be done',
    (kind) => {
      invalidateQueries.mockClear();
      const onClose = jest.fn();
      const layer = kind === 'create' ? { kind, accountId: null } : { kind, budget };
      const drawn: ReactElement<{ onClose: () => void }> | null = BudgetLayer({ layer, onClose });
      drawn?.props.onClose();
      expect(onClose).toHaveBeenCalledTimes(1);
      expect(invalidateQueries.mock.calls).toEqual([[{ queryKey: ['budgets'] }]]);
    },
  );
});
