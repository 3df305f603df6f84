import { budgetOperations, newBudget, projectName } from './budgets';

describe('the window of a budget', () => {
  const told = {
    ...{ id: 'b1', name: 'team', limitNanoUsd: '1', accountId: 'a1', keyIds: [], timeZone: 'UTC', createdAt: 0 },
    window: 'a window of a later release',
  };

  it('is read of a newer accounts, whatever it is, so that the others are told', () => {
    const budgets = [told, { ...told, window: 'month' }];
    const read = budgetOperations.list.reply.parse({ budgets, next: null });
    expect(read.budgets.map(({ window }) => window)).toEqual(['a window of a later release', 'month']);
  });

  it('is one that is known where somebody sets it', () => {
    const wish = { accountId: 'a1', name: 'team', limitUsd: '1' };
    expect(newBudget.safeParse({ ...wish, window: '7d' }).success).toBe(true);
    expect(newBudget.safeParse({ ...wish, window: told.window }).success).toBe(false);
  });
});

describe('the name of a project', () => {
  it('is one, however its letters were typed', () => {
    expect(projectName.parse(' Cafe\u0301 ')).toBe('Caf\u00e9');
  });

  it.each(['.', '..', ' .. '])('is not %j: in an address it would be the whole account', (name) => {
    expect(projectName.safeParse(name).success).toBe(false);
    expect(projectName.parse('...')).toBe('...');
  });

  it('is not none, which says that there is no project', () => {
    expect(projectName.safeParse('none').error?.issues[0]?.message).toBe('none means that a key is of no project');
  });
});
