import type { ModelEntry } from '@tollgate/configuration';
import type { PriceSheet } from '@tollgate/contracts/catalog';
import type { SettingsReport } from './settings-report';

/**
 * What is known of models, as their entries in tollgate.yaml would say it, by `provider/name`, the name being
 * the provider's own, and by their id.
 */
export type KnownModels = ReadonlyMap<string, ModelEntry>;

/** A place of a model as tollgate.yaml has it. */
export interface WrittenPlace {
  provider: string;
  upstreamModel: string;
  weight?: number;
  priority?: number;
  maxConcurrent?: number;
}

/**
 * What reads of a model are worth to its entry here. Its names, places and ends are those of the importing
 * file.
 */
const facts = [
  'kind',
  'contextWindow',
  'maxOutputTokens',
  'maxOutputUnstreamed',
  'sharedContext',
  'inputModalities',
  'outputModalities',
  'capabilities',
  'reasoningEfforts',
  'prices',
] as const;

const idForm = /^[\w.:@-]+(\/[\w.:@-]+)*$/;

/** Whether a model may have this id. */
export function isModelId(text: string): boolean {
  return idForm.test(text);
}

/** What an entry of another name says of the same model; nothing where it is not known. */
export function factsOf(base: ModelEntry | undefined): Record<string, unknown> {
  if (!base) return {};
  return Object.fromEntries(facts.flatMap((name) => (base[name] === undefined ? [] : [[name, base[name]]])));
}

/**
 * The deployments of a model. Places that stand twice are one; several share callers out evenly where nothing
 * else is said. `setting`: where several of them stood.
 */
export function deploymentsOf(read: readonly WrittenPlace[], setting: string, report: SettingsReport): object[] {
  const places = [...new Map(read.map((place) => [JSON.stringify(place), place])).values()];
  if (places.length < 2) return places.map(({ weight: _, ...place }) => place);
  report.carried(setting, 'deployments of one model, by priority; callers are shared out by weight');
  const used = new Map<string, number>();
  return places.map((place) => {
    const name = `${place.provider}:${place.upstreamModel}`;
    const number = (used.get(name) ?? 0) + 1;
    used.set(name, number);
    return { ...(number > 1 && { id: `${name}:${number}` }), ...place, weight: place.weight ?? 1 };
  });
}

/** Tells that nothing is known of what a model costs. */
export function tellUnpriced(setting: string, report: SettingsReport): void {
  report.left(
    setting,
    'its price is not known here: give it prices, or usage is unpriced and keys with a budget are refused',
  );
}

/**
 * US dollars per million tokens, of dollars per token, with six decimals at most, as the price book keeps
 * them.
 */
export function perMillion(perToken: number): string {
  return (perToken * 1_000_000).toFixed(6).replace(/\.?0+$/, '');
}

/** A price sheet as tollgate.yaml writes it: what it has no price of is not there. */
export function writtenPrices({ longContext, ...sheet }: PriceSheet): object {
  const told = (rates: object): object => Object.fromEntries(Object.entries(rates).filter(([, rate]) => rate !== null));
  return { ...told(sheet), ...(longContext.length > 0 && { longContext: longContext.map(told) }) };
}
