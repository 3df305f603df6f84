import { adminRoute } from './admin-route';
import { settingsOperations } from '../catalog/catalog-operations';
import { planOperations } from '../catalog/plans';
import { setFactorOperations } from '../catalog/set-factors';
import { setGuardrailOperations } from '../catalog/set-guardrails';
import { setModelOperations } from '../catalog/set-models';
import { setPriceOperations } from '../catalog/set-prices';

const toldOf = (value: unknown): string | number | null =>
  typeof value === 'string' || typeof value === 'number' ? value : null;

const idOf = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : null;

/** What is set without tollgate.yaml. */
export const adminSettingsRoutes = [
  adminRoute({
    method: 'GET',
    path: '/config/plans',
    scope: 'config:read',
    summary: 'Plans of the settings by their names, and the version that they are of',
    operation: planOperations.list,
  }),
  adminRoute({
    method: 'PUT',
    path: '/plans/:plan',
    scope: 'config:write',
    summary: 'Add a plan, or put other limits in its place, as a whole; null: none',
    operation: planOperations.set,
    act: ({ plan, reason }) => ({
      action: 'plan-change-asked',
      detail: { plan: toldOf(plan), reason: toldOf(reason) },
    }),
  }),
  adminRoute({
    method: 'DELETE',
    path: '/plans/:plan',
    scope: 'config:write',
    summary: 'Remove a plan that was added so; keys of it have the limits of beta from then on',
    operation: planOperations.remove,
    act: ({ plan, reason }) => ({
      action: 'plan-removal-asked',
      detail: { plan: toldOf(plan), reason: toldOf(reason) },
    }),
  }),
  adminRoute({
    method: 'GET',
    path: '/config/models',
    scope: 'config:read',
    summary: 'Models of which the file or the settings say something, whether it holds, and what the settings say',
    operation: setModelOperations.list,
  }),
  adminRoute({
    method: 'PATCH',
    path: '/models',
    scope: 'config:write',
    summary:
      'Add a model whose price is set, or change its deployments, fallbacks and what else is said of it; what is absent stays',
    operation: setModelOperations.set,
    mayConflict: true,
    act: ({ model, reason }) => ({
      action: 'model-change-asked',
      detail: { model: toldOf(model), reason: toldOf(reason) },
    }),
  }),
  adminRoute({
    method: 'POST',
    path: '/models/remove',
    scope: 'config:write',
    summary: 'Take a model out of the settings: what the release says of it holds again, a new one is gone',
    operation: setModelOperations.remove,
    act: ({ model, reason }) => ({
      action: 'model-removal-asked',
      detail: { model: toldOf(model), reason: toldOf(reason) },
    }),
  }),
  adminRoute({
    method: 'GET',
    path: '/config/guardrails',
    scope: 'config:read',
    summary: 'Guardrails of which the file or the settings say something, whether they hold, and what the settings say',
    operation: setGuardrailOperations.list,
  }),
  adminRoute({
    method: 'PUT',
    path: '/guardrails',
    scope: 'config:write',
    summary: 'Add a guardrail, or put this one in the place of the one of its id, as a whole',
    operation: setGuardrailOperations.set,
    mayConflict: true,
    act: ({ guardrail, reason }) => ({
      action: 'guardrail-change-asked',
      detail: { guardrail: toldOf(idOf(guardrail)), reason: toldOf(reason) },
    }),
  }),
  adminRoute({
    method: 'POST',
    path: '/guardrails/remove',
    scope: 'config:write',
    summary: 'Take a guardrail out of the settings',
    operation: setGuardrailOperations.remove,
    act: ({ guardrail, reason }) => ({
      action: 'guardrail-removal-asked',
      detail: { guardrail: toldOf(guardrail), reason: toldOf(reason) },
    }),
  }),
  adminRoute({
    method: 'GET',
    path: '/prices',
    scope: 'config:read',
    summary: 'What models cost of which an operator says it, and who does; with `model` this one, whoever does',
    operation: setPriceOperations.list,
    list: 'prices',
  }),
  adminRoute({
    method: 'GET',
    path: '/prices/history',
    scope: 'config:read',
    summary: 'Prices that were set, who, when and why, the newest first; those that were taken back too',
    operation: setPriceOperations.history,
    list: 'prices',
  }),
  adminRoute({
    method: 'POST',
    path: '/prices',
    scope: 'config:write',
    summary:
      'Set what a model costs from an instant on, as a whole; `prices` null: what it would cost otherwise. `dryRun` only looks',
    operation: setPriceOperations.set,
    mayConflict: true,
    act: ({ model, from, prices, reason, dryRun }) =>
      dryRun === true
        ? null
        : {
            action: prices === null ? 'price-removal-asked' : 'price-change-asked',
            detail: { model: toldOf(model), from: toldOf(from), reason: toldOf(reason) },
          },
  }),
  adminRoute({
    method: 'POST',
    path: '/prices/:id/withdraw',
    scope: 'config:write',
    summary: 'Take a price back that is to begin in more than five minutes: it never was',
    operation: setPriceOperations.withdraw,
    mayConflict: true,
    act: ({ id, reason }) => ({
      action: 'price-withdrawal-asked',
      detail: { price: toldOf(id), reason: toldOf(reason) },
    }),
  }),
  adminRoute({
    method: 'GET',
    path: '/price-factors',
    scope: 'config:read',
    summary: 'Discounts and markups of deployments, who says them, and what is to come',
    operation: setFactorOperations.list,
    list: 'deployments',
  }),
  adminRoute({
    method: 'GET',
    path: '/price-factors/history',
    scope: 'config:read',
    summary: 'Discounts and markups that were set, who, when and why, the newest first; those that were taken back too',
    operation: setFactorOperations.history,
    list: 'factors',
  }),
  adminRoute({
    method: 'POST',
    path: '/price-factors',
    scope: 'config:write',
    summary:
      'Set the discount and the markup of a deployment from an instant on; `factors` null: none. `dryRun` only looks',
    operation: setFactorOperations.set,
    mayConflict: true,
    act: ({ deployment, from, factors, reason, dryRun }) =>
      dryRun === true
        ? null
        : {
            action: factors === null ? 'factor-removal-asked' : 'factor-change-asked',
            detail: { deployment: toldOf(deployment), from: toldOf(from), reason: toldOf(reason) },
          },
  }),
  adminRoute({
    method: 'POST',
    path: '/price-factors/:id/withdraw',
    scope: 'config:write',
    summary: 'Take back a discount and a markup that are to begin in more than five minutes: they never were',
    operation: setFactorOperations.withdraw,
    mayConflict: true,
    act: ({ id, reason }) => ({
      action: 'factor-withdrawal-asked',
      detail: { factors: toldOf(id), reason: toldOf(reason) },
    }),
  }),
  adminRoute({
    method: 'GET',
    path: '/config',
    scope: 'config:read',
    summary: 'The settings that hold, their version, and every entry with where it comes from',
    operation: settingsOperations.show,
  }),
  adminRoute({
    method: 'PUT',
    path: '/config',
    scope: 'config:write',
    summary: 'Put other settings in force, as a whole; `version` is the one that they were made from, else a 409',
    operation: settingsOperations.apply,
    act: ({ version, reason, dryRun }) =>
      dryRun === true
        ? null
        : { action: 'settings-change-asked', detail: { from: toldOf(version), reason: toldOf(reason) } },
  }),
  adminRoute({
    method: 'GET',
    path: '/config/history',
    scope: 'config:read',
    summary: 'Versions of the settings: who, when and why, the newest first',
    operation: settingsOperations.history,
    list: 'versions',
  }),
  adminRoute({
    method: 'GET',
    path: '/config/history/:version',
    scope: 'config:read',
    summary: 'One version with its document',
    operation: settingsOperations.find,
  }),
  adminRoute({
    method: 'POST',
    path: '/config/rollback',
    scope: 'config:write',
    summary: 'Put the settings of an earlier version in force again, as a new version',
    operation: settingsOperations.rollBack,
    act: ({ to, reason }) => ({
      action: 'settings-rollback-asked',
      detail: { to: toldOf(to), reason: toldOf(reason) },
    }),
  }),
];
