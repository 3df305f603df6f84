import type { AccountRole } from '@tollgate/contracts';

/** What each role may, in a line, in the order in which it is chosen from. */
export const roleTexts: Record<AccountRole, { name: string; may: string }> = {
  developer: { name: 'Developer', may: 'makes keys of their own, uses the playground, sees usage and logged texts' },
  viewer: { name: 'Viewer', may: 'sees keys, usage and single requests, without texts' },
  billing: { name: 'Billing', may: 'sees what was spent, and is written to about budgets' },
  administrator: { name: 'Administrator', may: 'does everything but change owners' },
  owner: { name: 'Owner', may: 'does everything in the account' },
};
