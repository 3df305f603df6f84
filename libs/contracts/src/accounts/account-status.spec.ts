import { accountStatuses, isStopped } from './account-status';

it('is stopped where somebody stopped it, not where it waits for its approval', () => {
  expect(accountStatuses.filter(isStopped)).toEqual(['suspended', 'declined']);
});
