import { z } from 'zod';
import { catalogModel, catalogSnapshot, deployment, modality, outputModality, providerDefinition } from './catalog';
import type { CatalogModel, CatalogSnapshot } from './catalog';
import { deploymentHold } from '../inference/deployment-health';
import { dialectAt, toolsElsewhere } from './provider-rules';
import { retiredName } from './retirement';
import { dialectName } from '../surface';

/** What this release could not read of a snapshot: all of an entry, or the `part` of it. */
export interface LeftOut {
  list: 'providers' | 'models' | 'retiredNames';
  /** The id or name of the entry. */
  entry: string;
  /** Null: the entry is not there at all. */
  part: 'prices' | 'deployments' | null;
  why: string;
}

export type ToldSnapshot = CatalogSnapshot & { leftOut: LeftOut[] };

type Version = Pick<CatalogSnapshot, 'revision' | 'digest'>;

/** True when both have the same content; without digests their revision has to tell that. */
export function hasSameContent(one: Version, other: Version): boolean {
  return one.digest === other.digest && (one.digest !== undefined || one.revision === other.revision);
}

/** Those of a list that this release knows. */
function known<Schema extends z.ZodType>(schema: Schema) {
  return z.array(z.unknown()).transform((items): z.output<Schema>[] =>
    items.flatMap((item) => {
      const read = schema.safeParse(item);
      return read.success ? [read.data] : [];
    }),
  );
}

const { quirks } = providerDefinition.shape;

const provider = providerDefinition.extend({
  alsoSpeaks: known(dialectName).prefault([]),
  alsoAt: known(dialectAt).prefault([]),
  discover: providerDefinition.shape.discover.catch(null),
  bills: providerDefinition.shape.bills.catch(null),
  quirks: quirks
    .unwrap()
    .extend({ toolsElsewhere: known(toolsElsewhere).prefault([]) })
    .prefault({}),
});

/** A price that is not understood in full is none: half of it would charge too little. */
const model = catalogModel.extend({
  inputModalities: known(modality),
  outputModalities: known(outputModality),
  prices: catalogModel.shape.prices.catch(null),
  pricesBeside: catalogModel.shape.pricesBeside.catch(undefined),
  deployments: known(deployment).pipe(z.array(deployment).min(1)),
  retirement: catalogModel.shape.retirement.catch(null),
  timeouts: catalogModel.shape.timeouts.catch(undefined),
});

/** A decision of a kind that is not known keeps everybody away, as the strictest one does. */
const hold = deploymentHold.extend({ state: deploymentHold.shape.state.catch('closed'), deployment: z.string() });

const frame = catalogSnapshot.extend({
  providers: z.array(z.unknown()),
  models: z.array(z.unknown()),
  retiredNames: z.array(z.unknown()).default([]),
  held: z.array(hold).default([]),
});

/** How an entry calls itself. */
const named = z.union([
  z.object({ id: z.string() }).transform(({ id }) => id),
  z.object({ name: z.string() }).transform(({ name }) => name),
  z.unknown().transform(() => 'one without a name'),
]);

/** The parts of a model that are read as nothing where this release does not know them. */
const parts = z.object({ prices: z.unknown(), deployments: z.array(z.unknown()) });

/** Reads the entries of one list, and keeps account of what it cannot read. */
class Reading {
  readonly leftOut: LeftOut[] = [];

  constructor(private readonly told: z.output<typeof frame>) {}

  list<Schema extends z.ZodType>(list: LeftOut['list'], schema: Schema): z.output<Schema>[] {
    return this.told[list].flatMap((entry) => {
      const read = schema.safeParse(entry);
      if (read.success) return [read.data];
      this.leave({ list, entry: named.parse(entry), part: null, why: z.prettifyError(read.error) });
      return [];
    });
  }

  /** Places at providers that could not be read are no places. */
  models(): CatalogModel[] {
    const away = new Set(this.leftOut.filter(({ list }) => list === 'providers').map(({ entry }) => entry));
    const told = new Map(this.told.models.map((entry) => [named.parse(entry), entry]));
    return this.list('models', model).flatMap((read) => {
      const { prices, deployments } = parts.parse(told.get(read.id));
      const reachable = read.deployments.filter(({ provider: id }) => !away.has(id));
      const entry = { list: 'models', entry: read.id, why: 'this release does not know all of it' } as const;
      if (prices !== null && read.prices === null) this.leave({ ...entry, part: 'prices' });
      if (reachable.length !== deployments.length)
        this.leave({ ...entry, part: reachable.length > 0 ? 'deployments' : null });
      return reachable.length > 0 ? [{ ...read, deployments: reachable }] : [];
    });
  }

  private leave(one: LeftOut): void {
    this.leftOut.push(one);
  }
}

/**
 * A snapshot as a catalog of another release tells it. What is not known is left out by itself, and `leftOut`
 * names it: a member, a value of a list, an entry, but never the whole.
 * Guardrails and the rules of the content log are the exception: what an operator forbids is never left out,
 * so a snapshot with one that cannot be read is refused, and the last one stays in use.
 */
export const toldSnapshot = frame.transform((told): ToldSnapshot => {
  const reading = new Reading(told);
  const providers = reading.list('providers', provider);
  const models = reading.models();
  const retiredNames = reading.list('retiredNames', retiredName);
  const ids = new Set(models.map(({ id }) => id));
  const available = told.available.filter((id) => ids.has(id));
  return { ...told, providers, models, retiredNames, available, leftOut: reading.leftOut };
});
