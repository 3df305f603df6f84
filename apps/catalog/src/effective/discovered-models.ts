import {
  type CatalogModel,
  type ModelDiscovery,
  type ProviderDefinition,
  catalogModel,
} from '@tollgate/contracts/catalog';
import type { InferenceAnnouncement, ListedByProvider } from '@tollgate/contracts/inference';
import { resolveModel, bareName } from './resolve-model';

/** What lists tell of models that embed or order documents is their name alone. */
const embeds = /embed/i;
const orders = /re-?rank/i;

/** What built-in providers list beside what is generated or embedded here. */
const otherKinds =
  /(?:image|imagen|veo|video|sora|dall-e|audio|realtime|live|tts|speech|whisper|transcri|moderation|guard|rerank|search|computer-use|aqa|-latest$|^ft:|^ft-)/i;
/** The day of a snapshot: `-2025-04-14`, `-20250929`. */
const snapshotDay = /-(?:\d{4}-\d{2}-\d{2}|\d{8})$/;
/** A model that was there so long before the catalog's facts were taken is left out on purpose. */
const knownAfterS = 90 * 86_400;

/**
 * The models that providers with `discover` list and that the catalog does not have. Nothing is known of them
 * but their name and, from some servers, their window; so nothing is refused in the server's place: they may
 * take images, tools and schemas, and may reason. What a built-in provider lists is taken for one of its
 * family, where it has one: a model on the day it ships. They have no price.
 */
export function discoveredModels(
  providers: readonly ProviderDefinition[],
  models: readonly CatalogModel[],
  listed: InferenceAnnouncement['listed'],
  factsAsOf: string | null = null,
): CatalogModel[] {
  const taken = new Set(models.flatMap(({ id, aliases }) => [id, ...aliases]));
  const served = new Set(models.flatMap(({ deployments }) => deployments.map(placeOf)));
  return providers.flatMap(({ id: provider, discover, operatorDefined }) => {
    if (!discover) return [];
    const isKnown = (name: string) =>
      taken.has(publicId(name, discover)) || served.has(placeOf({ provider, upstreamModel: name }));
    const offered = (Object.hasOwn(listed, provider) ? (listed[provider] ?? []) : []).filter(
      (each) => operatorDefined || isOffered(each, discover, factsAsOf),
    );
    return offered.flatMap(({ name, contextWindow, createdAt }) => {
      const id = publicId(name, discover);
      if (!fits(name, discover) || isKnown(name)) return [];
      if (!operatorDefined && isKnown(name.replace(snapshotDay, ''))) return [];
      const family = operatorDefined ? null : familyOf(provider, name, models);
      const facts = family ? { ...family, contextWindow: contextWindow ?? family.contextWindow } : guess(name);
      const model = catalogModel.safeParse(
        resolveModel({ id, provider, upstreamModel: name, contextWindow, created: createdAt ?? 0, ...facts }),
      );
      if (!model.success) return [];
      taken.add(id);
      return [{ ...model.data, discovered: true }];
    });
  });
}

/**
 * Whether a built-in provider's model may be one that it ships: it generates or embeds, and is new where only
 * those are wanted.
 */
function isOffered(
  { name, createdAt }: ListedByProvider,
  { onlyNew }: ModelDiscovery,
  factsAsOf: string | null,
): boolean {
  if (otherKinds.test(name)) return false;
  if (!onlyNew || createdAt === undefined || factsAsOf === null) return true;
  return createdAt > Date.parse(factsAsOf) / 1_000 - knownAfterS;
}

/** Those of them that wait until an operator switches them on. */
export function waitingModels(
  providers: readonly ProviderDefinition[],
  models: readonly CatalogModel[],
  approved: ReadonlySet<string>,
): string[] {
  const asking = new Set(providers.flatMap(({ id, discover }) => (discover?.serve === 'on-approval' ? [id] : [])));
  return models.flatMap(({ id, provider, discovered }) =>
    discovered && asking.has(provider) && !approved.has(id) ? [id] : [],
  );
}

function guess(name: string) {
  if (orders.test(name)) return { kind: 'rerank' as const };
  if (embeds.test(name)) return { kind: 'embedding' as const };
  return {
    inputModalities: ['text' as const, 'image' as const],
    capabilities: { reasoning: true, structuredOutput: true },
  };
}

function fits(name: string, { match }: ModelDiscovery): boolean {
  return match.some((pattern) => {
    const [first = '', ...others] = pattern.split('*');
    if (others.length === 0) return name === pattern;
    const last = others.pop() ?? '';
    if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
    let from = first.length;
    for (const part of others) {
      const at = name.slice(0, name.length - last.length).indexOf(part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return true;
  });
}

/**
 * llama.cpp lists the path of its file where it was given no alias: the file's name stands for it. Letters
 * that no public id has become dashes.
 */
function publicId(name: string, { prefix }: ModelDiscovery): string {
  const bare = name.endsWith('.gguf') ? name.replace(/^.*[\\/]/, '').replace(/\.gguf$/, '') : name;
  return (
    prefix +
    bare
      .replace(/[^\w.:@/-]+/g, '-')
      .replace(/\/{2,}/g, '/')
      .replace(/^\/|\/$/g, '')
  );
}

function placeOf({ provider, upstreamModel }: { provider: string; upstreamModel: string }): string {
  return `${provider} ${upstreamModel}`;
}

/** What a new model has in common with its family until more is known of it. */
type FamilyFacts = Pick<
  CatalogModel,
  'kind' | 'contextWindow' | 'maxOutputTokens' | 'inputModalities' | 'capabilities' | 'reasoningEfforts'
>;

/** Two names are of one family when so many letters of their beginnings are the same, at least. */
const leastShared = 4;

/**
 * What is known of the nearest relative that a provider offers under another name: of those whose names begin
 * alike for longest, the newest that is not to end. Null: nobody's name begins like it.
 */
export function familyOf(provider: string, name: string, models: readonly CatalogModel[]): FamilyFacts | null {
  const relatives = models
    .filter((model) => model.provider === provider && model.status !== 'deprecated')
    .map((model) => ({ model, shared: sharedBeginning(name, bareName(model.id, provider)) }))
    .filter(({ shared }) => shared >= leastShared)
    .toSorted((a, b) => b.shared - a.shared || b.model.created - a.model.created);
  const [nearest] = relatives;
  if (!nearest) return null;
  const { kind, contextWindow, maxOutputTokens, inputModalities, capabilities, reasoningEfforts } = nearest.model;
  return {
    kind,
    contextWindow,
    maxOutputTokens,
    inputModalities,
    capabilities,
    ...(reasoningEfforts && { reasoningEfforts }),
  };
}

function sharedBeginning(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
