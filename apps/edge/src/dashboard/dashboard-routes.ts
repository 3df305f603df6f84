import { accountRoutes } from './admin/account-routes';
import { auditRoutes } from './admin/audit-routes';
import { billRoutes, priceRoutes } from './admin/price-routes';
import { adminBudgetRoutes } from './admin/budget-routes';
import { adminContentLogRoutes } from './admin/content-log-routes';
import { deadLetterRoutes } from './admin/dead-letter-routes';
import { guardrailRoutes } from './admin/guardrail-routes';
import { adminKeyRoutes } from './admin/key-routes';
import { adminModelRoutes, setModelRoutes } from './admin/model-routes';
import { liveProviderRoutes } from './admin/live-provider-routes';
import { planRoutes } from './admin/plan-routes';
import { providerRoutes } from './admin/provider-routes';
import { settingsRoutes } from './admin/settings-routes';
import { statusRoutes } from './admin/status-routes';
import { webhookRoutes } from './admin/webhook-routes';
import { oidcRoutes } from './auth/oidc-routes';
import { passkeyRoutes } from './auth/passkey-routes';
import { passwordRoutes } from './auth/password-routes';
import { profileRoutes, sessionRoutes } from './auth/session-routes';
import { secondFactorRoutes } from './auth/second-factor-routes';
import { signInRoutes } from './auth/sign-in-routes';
import { budgetRoutes } from './account/budget-routes';
import { catalogRoutes } from './account/listed-model';
import { contentLogRoutes } from './account/content-log-routes';
import { keyRoutes } from './account/key-routes';
import { memberRoutes } from './account/member-routes';
import { ownKeyRoutes } from './account/own-key-routes';
import { playgroundRoutes } from './account/playground-routes';
import { exportRoutes } from './reports/export-routes';
import { statementRoutes } from './reports/statement-routes';
import { reportRoutes } from './reports/report-routes';
import type { DashboardRoute } from './route';

/** Every route of the dashboard's API. */
export const dashboardRoutes: readonly DashboardRoute[] = [
  ...signInRoutes,
  ...passwordRoutes,
  ...profileRoutes,
  ...sessionRoutes,
  ...secondFactorRoutes,
  ...passkeyRoutes,
  ...oidcRoutes,
  ...catalogRoutes,
  ...keyRoutes,
  ...budgetRoutes,
  ...memberRoutes,
  ...ownKeyRoutes,
  ...reportRoutes,
  ...exportRoutes,
  ...statementRoutes,
  ...contentLogRoutes,
  ...playgroundRoutes,
  ...accountRoutes,
  ...adminKeyRoutes,
  ...planRoutes,
  ...priceRoutes,
  ...adminBudgetRoutes,
  ...adminContentLogRoutes,
  ...providerRoutes,
  ...liveProviderRoutes,
  ...adminModelRoutes,
  ...setModelRoutes,
  ...settingsRoutes,
  ...guardrailRoutes,
  ...billRoutes,
  ...auditRoutes,
  ...deadLetterRoutes,
  ...webhookRoutes,
  ...statusRoutes,
];
