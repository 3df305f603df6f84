import { z } from 'zod';
import { adminRoute, type AdminAct } from './admin-route';
import { liveProviderOperations, providerKey } from '../catalog/live-providers';

const { list, set, remove, sealingFor, setKey, removeKey, reseal } = liveProviderOperations;
const { sealed, baseUrl, lastFour } = setKey.request.shape;

/**
 * A key of a provider: `key` as the provider gave it, or sealed by who asks, with what the route `sealing`
 * told. `baseUrl` beside `key`: for this address alone, else a 409.
 */
export const givenKey = z
  .strictObject({
    key: providerKey.optional(),
    sealed: sealed.optional(),
    baseUrl: baseUrl.optional(),
    lastFour: lastFour.optional(),
  })
  .refine(
    ({ key, sealed: box, baseUrl: address }) =>
      key === undefined ? box !== undefined && address !== undefined : box === undefined,
    {
      error: 'must have key, or in its place sealed and baseUrl',
    },
  );

const toldOf = (value: unknown): string | number | null =>
  typeof value === 'string' || typeof value === 'number' ? value : null;
/** Names alone: nothing of a key is written down. */
const actOn =
  (action: string, members: readonly string[]) =>
  (asked: Readonly<Record<string, unknown>>): AdminAct => ({
    action,
    detail: Object.fromEntries(members.map((name) => [name, toldOf(asked[name])])),
  });

/** Providers that are set without tollgate.yaml, and their keys. */
export const adminProviderRoutes = [
  adminRoute({
    method: 'GET',
    path: '/providers/live',
    scope: 'config:read',
    summary:
      'Providers that are set without the file: whether each holds, and its keys by name and last four characters',
    operation: list,
  }),
  adminRoute({
    method: 'PATCH',
    path: '/providers/:provider',
    scope: 'config:write',
    summary: 'Set a provider without the file, or change what of it is said; what is absent stays as it is',
    operation: set,
    act: actOn('provider-change-asked', ['provider', 'baseUrl', 'reason']),
    mayConflict: true,
  }),
  adminRoute({
    method: 'DELETE',
    path: '/providers/:provider',
    scope: 'config:write',
    summary: 'Take a provider out of the settings, and its keys out of the database',
    operation: remove,
    act: actOn('provider-removal-asked', ['provider', 'reason']),
  }),
  adminRoute({
    method: 'GET',
    path: '/providers/:provider/sealing',
    scope: 'providers:read',
    summary: 'What a key of a provider is sealed with, for who seals it before it is sent',
    operation: sealingFor,
  }),
  adminRoute({
    method: 'PUT',
    path: '/providers/:provider/keys/:name',
    scope: 'provider-keys:write',
    summary: 'Give a key of a provider, which nothing tells again, in the place of the one that had its name',
    operation: setKey,
    given: givenKey,
    act: actOn('provider-key-asked', ['provider', 'name']),
  }),
  adminRoute({
    method: 'DELETE',
    path: '/providers/:provider/keys/:name',
    scope: 'provider-keys:write',
    summary: 'Remove a key of a provider for good',
    operation: removeKey,
    act: actOn('provider-key-removal-asked', ['provider', 'name']),
  }),
  adminRoute({
    method: 'POST',
    path: '/providers/reseal',
    scope: 'provider-keys:write',
    summary: 'Seal again what is sealed with a former key-encryption key',
    operation: reseal,
    act: actOn('provider-keys-reseal-asked', []),
    timeoutMs: 30_000,
  }),
];
