import { lazyPage } from './lazy-page';
import type { LazyPage } from './lazy-page';

/** Pages of whoever is signed in. */
export const userPages: Record<string, LazyPage> = {
  '/overview': lazyPage(() => import('../usage/overview-page'), 'OverviewPage'),
  '/statement': lazyPage(() => import('../usage/statement-page'), 'StatementPage'),
  '/keys': lazyPage(() => import('../keys/keys-page'), 'KeysPage'),
  '/keys/:id': lazyPage(() => import('../keys/key-page'), 'KeyPage'),
  '/budgets': lazyPage(() => import('../budgets/budgets-page'), 'BudgetsPage'),
  '/budgets/:id': lazyPage(() => import('../budgets/budget-page'), 'BudgetPage'),
  '/requests': lazyPage(() => import('../requests/requests-page'), 'RequestsPage'),
  '/requests/:id': lazyPage(() => import('../requests/request-page'), 'RequestPage'),
  '/models': lazyPage(() => import('../models/models-page'), 'ModelsPage'),
  '/models/*': lazyPage(() => import('../models/model-page'), 'ModelPage'),
  '/compare': lazyPage(() => import('../models/compare-page'), 'ComparePage'),
  '/playground': lazyPage(() => import('../playground/playground-page'), 'PlaygroundPage'),
  '/projects/:project': lazyPage(() => import('../projects/project-page'), 'ProjectPage'),
  '/people': lazyPage(() => import('../people/people-page'), 'PeoplePage'),
  '/settings': lazyPage(() => import('../settings/settings-page'), 'SettingsPage'),
};

export const adminPages: Record<string, LazyPage> = {
  '/admin': lazyPage(() => import('../admin/home-page'), 'HomePage'),
  '/admin/accounts': lazyPage(() => import('../admin/accounts-page'), 'AccountsPage'),
  '/admin/accounts/:id': lazyPage(() => import('../admin/account-page'), 'AccountPage'),
  '/admin/accounts/:id/statement': lazyPage(() => import('../usage/statement-page'), 'AccountStatementPage'),
  '/admin/accounts/:id/projects/:project': lazyPage(() => import('../projects/project-page'), 'AccountProjectPage'),
  '/admin/keys': lazyPage(() => import('../admin/admin-keys-page'), 'AdminKeysPage'),
  '/admin/keys/:id': lazyPage(() => import('../admin/admin-key-page'), 'AdminKeyPage'),
  '/admin/budgets': lazyPage(() => import('../admin/admin-budgets-page'), 'AdminBudgetsPage'),
  '/admin/budgets/:id': lazyPage(() => import('../budgets/budget-page'), 'AdminBudgetPage'),
  '/admin/fleet': lazyPage(() => import('../admin/fleet-page'), 'FleetPage'),
  '/admin/requests': lazyPage(() => import('../admin/fleet-requests-page'), 'FleetRequestsPage'),
  '/admin/requests/:id': lazyPage(() => import('../requests/request-page'), 'FleetRequestPage'),
  '/admin/providers': lazyPage(() => import('../admin/providers-page'), 'ProvidersPage'),
  '/admin/providers/:id': lazyPage(() => import('../admin/provider-page'), 'ProviderPage'),
  '/admin/deployments': lazyPage(() => import('../admin/deployments-page'), 'DeploymentsPage'),
  '/admin/models': lazyPage(() => import('../admin/admin-models-page'), 'AdminModelsPage'),
  '/admin/prices': lazyPage(() => import('../admin/prices-page'), 'PricesPage'),
  '/admin/plans': lazyPage(() => import('../admin/plans-page'), 'PlansPage'),
  '/admin/config': lazyPage(() => import('../admin/gateway-settings-page'), 'GatewaySettingsPage'),
  '/admin/guardrails': lazyPage(() => import('../admin/guardrails-page'), 'GuardrailsPage'),
  '/admin/webhooks': lazyPage(() => import('../webhooks/webhooks-page'), 'WebhooksPage'),
  '/admin/bills': lazyPage(() => import('../admin/bills-page'), 'BillsPage'),
  '/admin/audit': lazyPage(() => import('../admin/audit-page'), 'AuditPage'),
  '/admin/dead-letters': lazyPage(() => import('../admin/dead-letters-page'), 'DeadLettersPage'),
};
