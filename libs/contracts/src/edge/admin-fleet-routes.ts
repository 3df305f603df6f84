import { adminRoute } from './admin-route';
import { catalogOperations } from '../catalog/catalog-operations';
import { incidentOperations } from '../catalog/incidents';
import { ledgerOperations } from '../metering/ledger';
import { meteringOperations } from '../metering/metering';
import { inferenceOperations, providerOperations } from '../inference/provider-check';

/** The audit log's word for what an operator does with a deployment. */
const holdActions = new Map<unknown, string>([
  ['open', 'deployment-opened'],
  ['draining', 'deployment-drained'],
  ['closed', 'deployment-closed'],
]);
/** A model may have to be loaded for its token. */
const checkTimeoutMs = 90_000;
/** A letter may hold many events, and a page many bytes. */
const replayTimeoutMs = 55_000;
const lettersTimeoutMs = 30_000;
const toldOf = (value: unknown): string | number | null =>
  typeof value === 'string' || typeof value === 'number' ? value : null;

/** Models, deployments, providers, and usage that could not be stored. */
export const adminFleetRoutes = [
  adminRoute({
    method: 'POST',
    path: '/models/switch',
    scope: 'models:write',
    summary: 'Switch a model off, for everybody and also as a fallback, or on again',
    operation: catalogOperations.setModelEnabled,
    act: ({ model, enabled }) => ({
      action: enabled === true ? 'model-enabled' : 'model-disabled',
      detail: { model: toldOf(model) },
    }),
  }),
  adminRoute({
    method: 'POST',
    path: '/deployments/hold',
    scope: 'deployments:write',
    summary: 'Close a deployment, drain it, or open it again, at every inference instance',
    operation: catalogOperations.holdDeployment,
    act: ({ deployment, state, reason, forS }) => ({
      action: holdActions.get(state) ?? 'deployment-held',
      detail: { deployment: toldOf(deployment), reason: toldOf(reason), forS: toldOf(forS) },
    }),
  }),
  adminRoute({
    method: 'GET',
    path: '/incidents',
    scope: 'deployments:read',
    summary: 'When deployments were kept away from callers, why and by whom, the newest first',
    operation: incidentOperations.list,
  }),
  adminRoute({
    method: 'GET',
    path: '/status',
    scope: 'usage:read',
    summary: 'How far the storing of usage is behind, what could not be stored, and what is reserved',
    operation: meteringOperations.status,
  }),
  adminRoute({
    method: 'POST',
    path: '/providers/check',
    scope: 'providers:write',
    summary: 'Ask a provider (null: all) for its models and one token (unless `token` is false), and say what is wrong',
    operation: providerOperations.check,
    also: [inferenceOperations.checkProviders],
    act: ({ provider, token }) => ({
      action: 'provider-checked',
      detail: { provider: toldOf(provider), token: token !== false },
    }),
    timeoutMs: checkTimeoutMs,
  }),
  adminRoute({
    method: 'POST',
    path: '/providers/look',
    scope: 'providers:write',
    summary: 'Read a provider’s own list of models (null: all lists) now',
    operation: providerOperations.look,
    also: [inferenceOperations.lookForModels],
    act: ({ provider }) => ({ action: 'provider-looked-at', detail: { provider: toldOf(provider) } }),
    timeoutMs: checkTimeoutMs,
  }),
  adminRoute({
    method: 'GET',
    path: '/dead-letters',
    scope: 'dead-letters:read',
    summary: 'Usage that could not be stored, the oldest first',
    operation: ledgerOperations.listDeadLetters,
    list: 'letters',
    timeoutMs: lettersTimeoutMs,
  }),
  adminRoute({
    method: 'GET',
    path: '/dead-letters/:sequence',
    scope: 'dead-letters:read',
    summary: 'One of them with its body',
    operation: ledgerOperations.showDeadLetter,
  }),
  adminRoute({
    method: 'POST',
    path: '/dead-letters/:sequence/replay',
    scope: 'dead-letters:write',
    summary: 'Store the events of it that can be read now, each once',
    operation: ledgerOperations.replayDeadLetter,
    act: ({ sequence }) => ({ action: 'dead-letter-replayed', detail: { sequence: toldOf(sequence) } }),
    timeoutMs: replayTimeoutMs,
  }),
  adminRoute({
    method: 'DELETE',
    path: '/dead-letters/:sequence',
    scope: 'dead-letters:write',
    summary: 'Remove one for good',
    operation: ledgerOperations.dropDeadLetter,
    act: ({ sequence }) => ({ action: 'dead-letter-dropped', detail: { sequence: toldOf(sequence) } }),
  }),
];
