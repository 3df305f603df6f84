import { nearestName } from '@tollgate/configuration';
import type { CatalogModel, Deployment, ProviderDefinition } from '@tollgate/contracts/catalog';

/** Says where a fault of a model stands in the configuration file. */
export type LocateModel = (id: string, field: readonly (string | number)[]) => string;

/**
 * What is wrong with the models taken together, one line each: unknown providers and fallbacks, circles,
 * names that are taken.
 */
export function modelProblems(
  models: readonly CatalogModel[],
  providers: ReadonlyMap<string, ProviderDefinition>,
  locate: LocateModel,
): string[] {
  return [
    ...providerProblems(models, [...providers.keys()], locate),
    ...deploymentProblems(models, locate),
    ...aliasProblems(models, locate),
    ...fallbackProblems(models, locate),
    ...successorProblems(models, locate),
    ...hedgeProblems(models, providers, locate),
    ...continuationProblems(models, locate),
  ];
}

function providerProblems(models: readonly CatalogModel[], known: string[], locate: LocateModel): string[] {
  return models.flatMap((model) => {
    const places = [
      { provider: model.provider, field: ['provider'] },
      ...model.deployments.flatMap(({ provider }, index) =>
        provider === model.provider ? [] : [{ provider, field: ['deployments', index, 'provider'] }],
      ),
    ];
    return places
      .filter(({ provider }) => !known.includes(provider))
      .map(
        ({ provider, field }) => `${locate(model.id, field)}: there is no provider ${provider}${hint(provider, known)}`,
      );
  });
}

/** A deployment id stands for one place everywhere: its health is kept by id. */
function deploymentProblems(models: readonly CatalogModel[], locate: LocateModel): string[] {
  const seen = new Map<string, Deployment>();
  return models.flatMap((model) =>
    model.deployments.flatMap((deployment, index) => {
      const same = seen.get(deployment.id);
      seen.set(deployment.id, deployment);
      const twice = model.deployments.findIndex(({ id }) => id === deployment.id) !== index;
      const differs =
        same && (same.provider !== deployment.provider || same.upstreamModel !== deployment.upstreamModel);
      if (!twice && !differs) return [];
      return [`${locate(model.id, ['deployments', index, 'id'])}: the deployment id ${deployment.id} is taken`];
    }),
  );
}

function aliasProblems(models: readonly CatalogModel[], locate: LocateModel): string[] {
  const owner = new Map(models.map(({ id }) => [id, id]));
  return models.flatMap((model) =>
    model.aliases.flatMap((alias, index) => {
      const holder = owner.get(alias);
      owner.set(alias, model.id);
      if (holder === undefined) return [];
      return [`${locate(model.id, ['aliases', index])}: the name ${alias} belongs to ${holder} already`];
    }),
  );
}

function fallbackProblems(models: readonly CatalogModel[], locate: LocateModel): string[] {
  const ids = models.map(({ id }) => id);
  const known = new Map(models.map(({ id, kind }) => [id, kind]));
  const single = models.flatMap((model) =>
    model.fallbacks.flatMap((fallback, index) => {
      const where = locate(model.id, ['fallbacks', index]);
      if (fallback === model.id) return [`${where}: a model cannot be its own fallback`];
      const kind = known.get(fallback);
      if (kind === undefined) return [`${where}: there is no model ${fallback}${hint(fallback, ids)}`];
      return kind === model.kind
        ? []
        : [`${where}: ${fallback} is a model for ${kind}, and ${model.id} is for ${model.kind}`];
    }),
  );
  const circles = fallbackCircles(models).map((circle) => {
    const [first = ''] = circle;
    return `${locate(first, ['fallbacks'])}: fallbacks run in a circle: ${[...circle, first].join(' -> ')}`;
  });
  return [...single, ...circles];
}

function successorProblems(models: readonly CatalogModel[], locate: LocateModel): string[] {
  const ids = models.map(({ id }) => id);
  return models.flatMap(({ id, retirement }) => {
    const successor = retirement?.successor ?? null;
    const where = locate(id, ['retirement', 'successor']);
    if (successor === null) return retirement?.redirects ? [`${where}: is needed where requests are redirected`] : [];
    if (successor === id) return [`${where}: a model cannot be its own successor`];
    return ids.includes(successor) ? [] : [`${where}: there is no model ${successor}${hint(successor, ids)}`];
  });
}

/** A second request needs a second place, and must come before the first has run out of time. */
function hedgeProblems(
  models: readonly CatalogModel[],
  providers: ReadonlyMap<string, ProviderDefinition>,
  locate: LocateModel,
): string[] {
  return models.flatMap(({ id, hedgeAfterMs, deployments, fallbacks, timeouts }) => {
    if (hedgeAfterMs === undefined) return [];
    const where = locate(id, ['hedgeAfterMs']);
    if (deployments.length + fallbacks.length < 2) return [`${where}: needs a second deployment, or a fallback`];
    const totalMs = timeouts?.totalMs ?? providers.get(deployments[0]?.provider ?? '')?.timeouts.totalMs;
    if (totalMs === undefined || hedgeAfterMs < totalMs) return [];
    return [`${where}: must be less than totalMs (${totalMs}), or no second request is ever sent`];
  });
}

/** What breaks at the only place cannot go on at another. */
function continuationProblems(models: readonly CatalogModel[], locate: LocateModel): string[] {
  return models.flatMap(({ id, continueBrokenStreams, deployments, fallbacks }) =>
    continueBrokenStreams && deployments.length + fallbacks.length < 2
      ? [`${locate(id, ['continueBrokenStreams'])}: needs a second deployment, or a fallback`]
      : [],
  );
}

function hint(typed: string, known: string[]): string {
  const meant = nearestName(typed, known);
  return meant ? `; did you mean ${meant}?` : '';
}

/**
 * The circles of two or more models that fall back to each other, each told once, from the model that comes
 * first in the catalog.
 */
export function fallbackCircles(models: readonly Pick<CatalogModel, 'id' | 'fallbacks'>[]): string[][] {
  const fallbacks = new Map(models.map((model) => [model.id, model.fallbacks.filter((id) => id !== model.id)]));
  const finished = new Set<string>();
  const circles: string[][] = [];

  const walk = (id: string, trail: string[]): void => {
    const start = trail.indexOf(id);
    if (start >= 0) circles.push(trail.slice(start));
    if (start >= 0 || finished.has(id)) return;
    for (const next of fallbacks.get(id) ?? []) walk(next, [...trail, id]);
    finished.add(id);
  };
  for (const { id } of models) walk(id, []);
  return circles;
}
