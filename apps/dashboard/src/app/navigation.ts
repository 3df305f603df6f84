import type { AccountPermission } from '@tollgate/contracts/accounts';
import type { User } from '../api/auth';
import type { IconName } from '../design/icon';

export interface Destination {
  path: string;
  name: string;
  icon: IconName;
  /** Shown to who may do this in their account; absent: to everybody. */
  needs?: AccountPermission;
}

const userDestinations: Destination[] = [
  { path: '/overview', name: 'Overview', icon: 'activity' },
  { path: '/keys', name: 'Keys', icon: 'key' },
  { path: '/budgets', name: 'Budgets', icon: 'shield', needs: 'usage' },
  { path: '/requests', name: 'Requests', icon: 'list', needs: 'requests' },
  { path: '/models', name: 'Models', icon: 'cube' },
  { path: '/playground', name: 'Playground', icon: 'message', needs: 'playground' },
  { path: '/people', name: 'People', icon: 'users', needs: 'people:read' },
  { path: '/settings', name: 'Settings', icon: 'settings' },
];

export const adminDestinations: Destination[] = [
  { path: '/admin', name: 'To do', icon: 'home' },
  { path: '/admin/accounts', name: 'Accounts', icon: 'users' },
  { path: '/admin/keys', name: 'All keys', icon: 'key' },
  { path: '/admin/budgets', name: 'All budgets', icon: 'shield' },
  { path: '/admin/fleet', name: 'Fleet', icon: 'activity' },
  { path: '/admin/requests', name: 'All requests', icon: 'list' },
  { path: '/admin/providers', name: 'Providers', icon: 'server' },
  { path: '/admin/deployments', name: 'Deployments', icon: 'cube' },
  { path: '/admin/models', name: 'Models and prices', icon: 'layers' },
  { path: '/admin/prices', name: 'Prices', icon: 'columns' },
  { path: '/admin/plans', name: 'Plans', icon: 'columns' },
  { path: '/admin/config', name: 'Gateway settings', icon: 'settings' },
  { path: '/admin/guardrails', name: 'Guardrails', icon: 'shield' },
  { path: '/admin/webhooks', name: 'Webhooks', icon: 'send' },
  { path: '/admin/bills', name: 'Bills', icon: 'columns' },
  { path: '/admin/audit', name: 'Audit log', icon: 'book' },
  { path: '/admin/dead-letters', name: 'Dead letters', icon: 'inbox' },
];

/** The pages of their account that somebody is shown. */
export const accountPages = ({ may }: Pick<User, 'may'>): Destination[] =>
  userDestinations.filter(({ needs }) => needs === undefined || may.includes(needs));

/** All pages that somebody is shown. */
export const pagesOf = (user: Pick<User, 'may' | 'role'>): Destination[] => [
  ...accountPages(user),
  ...(user.role === 'administrator' ? adminDestinations : []),
];
