import { ControlError } from '@tollgate/contracts';
import type { Operation } from '@tollgate/contracts';
import {
  catalogOperations,
  catalogSubjects,
  incidentOperations,
  liveProviderOperations,
  planOperations,
  setModelOperations,
  setPriceOperations,
  settingsOperations,
} from '@tollgate/contracts/catalog';
import type { CatalogModel, CatalogSnapshot } from '@tollgate/contracts/catalog';
import { healthSubjects, providerOperations } from '@tollgate/contracts/inference';
import type { healthReport } from '@tollgate/contracts/inference';
import { publishJson } from '@tollgate/messaging';
import { aModel, aSnapshot } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import type { z } from 'zod';
import { respond } from './control-responder';

/** A model for tests. */
export function model(id: string, changes: Partial<CatalogModel> = {}): CatalogModel {
  return aModel({
    id,
    created: 1_750_000_000,
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    prices: { input: '0.15', output: '0.6' },
    ...changes,
  });
}

/** Two live models, one that embeds, one that reranks, and one whose provider has no credentials. */
export const snapshot = aSnapshot({
  sandbox: true,
  models: [
    model('openai/gpt-5.4-mini', { aliases: ['mini'] }),
    model('anthropic/claude-sonnet-5'),
    model('openai/text-embedding-3-small', { kind: 'embedding', outputModalities: ['embedding'] }),
    model('home/reranker', { kind: 'rerank', outputModalities: ['rerank'] }),
    model('xai/grok-9'),
  ],
  available: ['openai/gpt-5.4-mini', 'anthropic/claude-sonnet-5', 'openai/text-embedding-3-small', 'home/reranker'],
});

const { show, history, find } = settingsOperations;
const operatorsOwn: Operation<z.ZodType, z.ZodType>[] = [
  ...Object.values(liveProviderOperations),
  ...Object.values(planOperations),
  ...Object.values(setModelOperations),
  ...Object.values(incidentOperations),
  ...Object.values(setPriceOperations),
];

/**
 * The catalog as an edge sees it. Of what operators do there it plays a part. It is away for the rest, and
 * says so at once: where nobody says anything, edge asks again for seconds.
 */
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
    for (const operation of [show, history, find, ...operatorsOwn])
      respond(this.connection, operation, () => {
        throw new ControlError('unavailable', 'This is not played here.');
      });
    const outcome = { version: 1, applied: true, changes: [] };
    respond(this.connection, settingsOperations.apply, ({ version }) => {
      if (version === 0) return outcome;
      throw new ControlError('outdated', 'The settings are of version 0 now.');
    });
    respond(this.connection, settingsOperations.rollBack, () => outcome);
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
