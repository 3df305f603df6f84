import { runningInstance } from '@tollgate/contracts';
import { account, keySummary, member, namedAuditLine, resetLink } from '@tollgate/contracts/accounts';
import type { Account, ChangedKeySettings } from '@tollgate/contracts/accounts';
import { deployment, incidentOperations, timeLimits } from '@tollgate/contracts/catalog';
import { deploymentHealth, deploymentHold, modelLook, providerCheck } from '@tollgate/contracts/inference';
import { deadLetter, percentiles } from '@tollgate/contracts/metering';
import { z } from 'zod/mini';
import { listedModel } from './catalog';
import { create, get, patch, post, tell, withQuery } from './client';

const listedAccount = z.extend(account, {
  keys: z.optional(z.number()),
  purpose: z.optional(z.nullable(z.string())),
  role: z.optional(z.nullable(z.string())),
});
export type ListedAccount = z.infer<typeof listedAccount>;
export type AccountStatus = Account['status'];

const adminKey = z.extend(keySummary, {
  usedTokens: z.optional(z.number()),
  lastUsedAt: z.optional(z.nullable(z.number())),
});
export type AdminKey = z.infer<typeof adminKey>;

/** Of the last hour. `configured`: credentials are there, or it needs none. */
const providerHealth = z.object({
  id: z.string(),
  name: z.string(),
  dialect: z.string(),
  configured: z.boolean(),
  /** What has to be set, by the names of variables. */
  needs: z.optional(z.nullable(z.string())),
  models: z.number(),
  available: z.number(),
  requests: z.number(),
  failed: z.number(),
  latency: percentiles,
  firstToken: percentiles,
  /** Deployments that failed so often that they are left alone for a while. */
  leftAlone: z.array(z.string()),
  /** Of several keys, by their place; an older edge tells none. `deployment` null: at all of them. */
  restingKeys: z.optional(
    z.array(
      z.object({
        key: z.number(),
        deployment: z.nullable(z.string()),
        status: z.number(),
        restsForMs: z.number(),
      }),
    ),
  ),
});
export type ProviderHealth = z.infer<typeof providerHealth>;

const adminModel = z.extend(listedModel, {
  aliases: z.array(z.string()),
  /** Public model ids, tried in order. */
  fallbacks: z.array(z.string()),
  deployments: z.array(deployment),
  enabled: z.boolean(),
  /** Only its provider's list tells of it. */
  discovered: z.boolean(),
  /** Milliseconds. Absent: those of every model; of `hedgeAfterMs`: never. */
  timeouts: z.optional(timeLimits),
  hedgeAfterMs: z.optional(z.number()),
});
export type AdminModel = z.infer<typeof adminModel>;

/** `standing` as the inference instance sees it that sees the worst; null: none tried it. */
const listedDeployment = z.object({
  id: z.string(),
  provider: z.string(),
  models: z.array(z.string()),
  held: z.nullable(deploymentHold),
  standing: z.nullable(
    z.extend(deploymentHealth.omit({ deployment: true, provider: true, held: true }), { instances: z.number() }),
  ),
});
export type ListedDeployment = z.infer<typeof listedDeployment>;
/** `forS` absent: until somebody opens it. */
export interface HoldWish {
  deployment: string;
  state: 'open' | 'draining' | 'closed';
  reason?: string;
  forS?: number;
}

/** `query` is a part of who acted, or of the name of the account or key. */
export interface AuditFilters {
  accountId?: string;
  action?: string;
  query?: string;
}

const replayed = z.object({
  stored: z.number(),
  alreadyStored: z.number(),
  problems: z.array(z.string()),
  removed: z.boolean(),
});
const fleetStatus = z.object({
  pendingEvents: z.number(),
  deadLetters: z.number(),
  reservedTokens: z.number(),
  liveLeases: z.number(),
  inferenceInstances: z.number(),
});

const cursor = z.optional(z.nullable(z.union([z.string(), z.number()])));
const page = <S extends z.core.$ZodType>(shape: S) => z.object({ data: z.array(shape), next: cursor });
/** `useUnknown`: nobody says which keys were used, as metering does not answer. */
const keyPage = z.extend(page(adminKey), { useUnknown: z.optional(z.boolean()) });
const id = encodeURIComponent;

export const fetchAccounts = (query: { status?: string; query?: string; after?: string }) =>
  get('/api/admin/accounts', page(listedAccount), { limit: 50, ...query });
export const setAccountStatus = (accountId: string, status: AccountStatus, plan?: string) =>
  post(`/api/admin/accounts/${id(accountId)}/status`, { status, plan }, z.object({}));
export const setAccountRole = (accountId: string, role: 'user' | 'administrator') =>
  tell(`/api/admin/accounts/${id(accountId)}/role`, { role });
export const makeResetLinks = (accountId: string) =>
  post(`/api/admin/accounts/${id(accountId)}/reset-links`, {}, z.object({ links: z.array(resetLink) }));
export const fetchAccountPeople = (accountId: string) =>
  get(`/api/admin/accounts/${id(accountId)}/people`, z.object({ people: z.array(member) }));
export const fetchAdminKeys = (query: {
  accountId?: string;
  /** Only those that were not used for eight weeks, of so many as `limit` says. */
  asleep?: true;
  after?: string;
  limit?: number;
}) => get('/api/admin/keys', keyPage, { limit: 50, ...query });
/** Keys that end by a time, and keys that sleep. */
export const fetchKeysForAttention = (endsBy: number) =>
  get('/api/admin/keys/attention', z.object({ ending: keyPage, asleep: keyPage }), { endsBy });
export const fetchAdminKey = (keyId: string) => get(`/api/admin/keys/${id(keyId)}`, z.object({ key: adminKey }));
export const changeKeyLimits = (keyId: string, settings: ChangedKeySettings) =>
  patch(`/api/admin/keys/${id(keyId)}`, settings, z.object({}));
export const renameAdminKey = (keyId: string, name: string) =>
  patch(`/api/admin/keys/${id(keyId)}`, { name }, z.object({}));
export const renameProject = (accountId: string, project: string, name: string) =>
  patch(`/api/admin/accounts/${id(accountId)}/projects/${id(project)}`, { name }, z.object({ project: z.string() }));
export const createAccountKey = (body: { accountId: string; name: string } & ChangedKeySettings, once: string) =>
  create('/api/admin/keys', body, z.object({ apiKey: z.string(), key: adminKey }), once);
export const revokeAdminKey = (keyId: string) => tell(`/api/admin/keys/${id(keyId)}/revoke`);
export const fetchProviders = () => get('/api/admin/providers', z.object({ data: z.array(providerHealth) }));
/** Asks a provider for its models with each of its keys, and for one token where that is wanted. */
export const checkProvider = (provider: string, token: boolean) =>
  post('/api/admin/providers/check', { provider, token }, z.object({ checks: z.array(providerCheck) }));
/** Reads every provider's own list of models now. */
export const lookForModels = () =>
  post('/api/admin/providers/look', { provider: null }, z.object({ looks: z.array(modelLook) }));
/** `factsAsOf`: the day of the newest facts of the catalog; null: not known. */
export const fetchAdminModels = () =>
  get('/api/admin/models', z.object({ data: z.array(adminModel), factsAsOf: z.nullable(z.string()) }));
export const switchModel = (model: string, enabled: boolean) =>
  post('/api/admin/models/switch', { model, enabled }, z.object({}));
export const fetchDeployments = () => get('/api/admin/deployments', z.object({ data: z.array(listedDeployment) }));
/** When deployments were kept away from callers, the newest first. */
export const fetchIncidents = async (provider?: string, after?: string) => {
  const { incidents, next } = await get('/api/admin/incidents', incidentOperations.list.reply, { provider, after });
  return { data: incidents, next };
};
export const holdDeployment = (wish: HoldWish) => post('/api/admin/deployments/hold', wish, z.object({}));
export const fetchAudit = (query: AuditFilters & { after?: string }) =>
  get('/api/admin/audit', page(namedAuditLine), { limit: 50, ...query });
/** Where a browser downloads the audit log. */
export const auditExportAddress = (format: 'csv' | 'json', filters: AuditFilters) =>
  withQuery('/api/admin/audit/export', { format, ...filters });
export const fetchDeadLetters = (after?: string) =>
  get('/api/admin/dead-letters', page(deadLetter), { limit: 50, after });
export const fetchDeadLetter = (sequence: number) =>
  get(`/api/admin/dead-letters/${sequence}`, z.extend(deadLetter, { body: z.string() }));
export const replayDeadLetter = (sequence: number) => post(`/api/admin/dead-letters/${sequence}/replay`, {}, replayed);
export const dropDeadLetter = (sequence: number) => tell(`/api/admin/dead-letters/${sequence}/drop`);
/** What a new gateway lacks. */
export const fetchFirstDay = () =>
  get('/api/admin/first-day', z.object({ othersHaveAccess: z.boolean(), wasAsked: z.boolean() }));
export const fetchStatus = () => get('/api/admin/status', fleetStatus);
/** Which instances of which service run, and the release of each. */
export const fetchInstances = () => get('/api/admin/instances', z.object({ data: z.array(runningInstance) }));
