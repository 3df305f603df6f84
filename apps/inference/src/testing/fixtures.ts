import {
  providerDefinition,
  type CatalogModel,
  type CatalogSnapshot,
  type ProviderDefinition,
} from '@tollgate/contracts/catalog';
import { generationRequest, type GenerationRequest } from '@tollgate/contracts/inference';
import { aModel as anyModel, aSnapshot as anySnapshot } from '@tollgate/testing';
import type { z } from 'zod';
import type { CredentialSet } from '../credentials/provider-credentials';

/**
 * A provider that speaks chat completions. Its time limits are long: a busy machine must not look like a
 * provider that does not answer.
 */
export function aProvider(overrides: Partial<z.input<typeof providerDefinition>> = {}): ProviderDefinition {
  return providerDefinition.parse({
    id: 'acme',
    name: 'Acme',
    dialect: 'openai-chat',
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKeyEnv: ['ACME_API_KEY'],
    timeouts: { connectMs: 10_000, firstByteMs: 30_000, idleMs: 30_000, totalMs: 60_000 },
    ...overrides,
  });
}

/** A model with one deployment at its provider, unless told otherwise. */
export function aModel(overrides: Partial<CatalogModel> = {}): CatalogModel {
  const id = overrides.id ?? 'acme/one';
  const provider = overrides.provider ?? 'acme';
  return anyModel({
    provider,
    contextWindow: 8_000,
    maxOutputTokens: 1_000,
    deployments: [{ id: `${id}@${provider}`, provider, upstreamModel: 'one' }],
    ...overrides,
  });
}

/** A snapshot in which every model is live. */
export function aSnapshot(providers: ProviderDefinition[], models: CatalogModel[], revision = 1): CatalogSnapshot {
  return anySnapshot({ providers, models, revision });
}

/** How to reach these providers at their own addresses: provider id → key, null for one that needs none. */
export function someCredentials(
  providers: readonly ProviderDefinition[],
  keys: Readonly<Record<string, string | null>>,
  sandbox = false,
): CredentialSet {
  const access: CredentialSet['access'] = new Map(
    providers.flatMap(({ id, baseUrl }) => {
      const key = keys[id];
      if (key === undefined) return [];
      return [
        [id, { simulated: sandbox, baseUrl, credential: key === null ? { kind: 'none' } : { kind: 'key', key } }],
      ];
    }),
  );
  return { sandbox, access, ownKeysOnly: new Map(), problems: [], faults: new Map() };
}

/** A request that has time, also on a busy machine. */
export function aRequest(overrides: Partial<GenerationRequest> = {}): GenerationRequest {
  const now = Date.now();
  return generationRequest.parse({
    kind: 'generate',
    requestId: 'request-1',
    eventId: 'event-1',
    keyId: 'key-1',
    accountId: 'account-1',
    surface: 'openai-chat',
    requestedModel: 'one',
    model: 'acme/one',
    stream: false,
    includeUsage: false,
    startedAt: now,
    deadlineAt: now + 100_000,
    lease: 'lease-1',
    traceparent: null,
    headers: {},
    ...overrides,
  });
}

/** The body that a caller posts. */
export function aBody(stream: boolean): Uint8Array {
  return Buffer.from(
    JSON.stringify({ model: 'one', stream, messages: [{ role: 'user', content: 'Say some words.' }] }),
  );
}
