import type { CatalogModel, CatalogSnapshot, healthReport } from '@tollgate/contracts';
import {
  catalogModel,
  catalogOperations,
  catalogSubjects,
  providerOperations,
  healthSubjects,
} from '@tollgate/contracts';
import { publishJson } from '@tollgate/messaging';
import type { NatsConnection } from 'nats';
import type { z } from 'zod';
import { respond } from './control-responder';

/** A model for tests. */
export function model(id: string, changes: Partial<CatalogModel> = {}): CatalogModel {
  const [provider = ''] = id.split('/');
  return catalogModel.parse({
    id,
    name: id,
    provider,
    created: 1_750_000_000,
    status: 'active',
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    inputModalities: ['text'],
    outputModalities: ['text'],
    capabilities: {
      streaming: true,
      tools: true,
      vision: false,
      reasoning: false,
      structuredOutput: true,
      temperature: true,
    },
    prices: { input: '0.15', output: '0.6' },
    aliases: [],
    deployments: [{ id: `${id}@${provider}`, provider, upstreamModel: id }],
    fallbacks: [],
    ...changes,
  });
}

/** Two live models, one that embeds, one that reranks, and one whose provider has no credentials. */
export const snapshot: CatalogSnapshot = {
  revision: 1,
  sandbox: true,
  providers: [],
  models: [
    model('openai/gpt-5.4-mini', { aliases: ['mini'] }),
    model('anthropic/claude-sonnet-5'),
    model('openai/text-embedding-3-small', { kind: 'embedding', outputModalities: ['embedding'] }),
    model('home/reranker', { kind: 'rerank', outputModalities: ['rerank'] }),
    model('xai/grok-9'),
  ],
  available: ['openai/gpt-5.4-mini', 'anthropic/claude-sonnet-5', 'openai/text-embedding-3-small', 'home/reranker'],
  disabled: [],
  held: [],
  retiredNames: [],
  reachable: [],
  factsAsOf: null,
  pricesOldAfterDays: 90,
  guardrails: [],
  contentLog: null,
};

/** The catalog as an edge sees it. */
export class FakeCatalog {
  snapshot = snapshot;

  constructor(private readonly connection: NatsConnection) {}

  /** As an inference instance tells how it sees its deployments. */
  tellHealth(report: z.input<typeof healthReport>): void {
    publishJson(this.connection, healthSubjects.report, report);
  }

  start(): void {
    respond(this.connection, catalogOperations.snapshot, () => this.snapshot);
    respond(this.connection, catalogOperations.setModelEnabled, (asked) => asked);
    respond(this.connection, catalogOperations.holdDeployment, () => ({ held: null }));
    respond(this.connection, providerOperations.check, ({ provider }) => ({
      checks: [{ provider: provider ?? 'acme', url: 'http://acme.test/v1', ok: true, says: 'lists 2 models' }],
    }));
    respond(this.connection, providerOperations.look, () => ({
      looks: [{ provider: 'acme', models: 2, came: ['gpt-7'], went: [] }],
    }));
  }

  /** Changes the snapshot and tells it. */
  change(changes: Partial<CatalogSnapshot>): void {
    this.snapshot = { ...this.snapshot, ...changes, revision: this.snapshot.revision + 1 };
    publishJson(this.connection, catalogSubjects.changed, { revision: this.snapshot.revision });
  }
}
