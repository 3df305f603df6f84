import type { Route } from './route-table';
import { weightedOrder, type Weighted } from './weighted-order';

/** Routes of one model and priority. */
interface RouteGroup {
  readonly modelId: string;
  readonly routes: readonly Weighted<Route>[];
  /** False: they are tried in their own order. */
  readonly shared: boolean;
}

/**
 * The routes of one model in groups that are tried one after the other: its own deployments by priority, then those of each fallback. A group in which a
 * deployment has a weight is shared out among the callers, each of which stays at its place, where the provider's prompt cache knows it.
 */
export class RoutePlan {
  private readonly groups: readonly RouteGroup[];
  /** The order when it is the same for everyone, else null. */
  private readonly common: readonly Route[] | null;

  /** `routes` are in the order of the catalog, those of one model together. */
  constructor(routes: readonly Route[]) {
    this.groups = groupsOf(routes);
    this.common = this.groups.some(({ shared }) => shared)
      ? null
      : this.groups.flatMap((group) => group.routes.map(({ choice }) => choice));
  }

  /** `caller` is the id of an API key. */
  orderFor(caller: string): readonly Route[] {
    return this.common ?? this.groups.flatMap((group) => inOrder(group, caller));
  }
}

function inOrder({ modelId, routes, shared }: RouteGroup, caller: string): Route[] {
  return shared ? weightedOrder(routes, `${caller} ${modelId}`) : routes.map(({ choice }) => choice);
}

function groupsOf(routes: readonly Route[]): RouteGroup[] {
  const models = new Map<string, Map<number, Route[]>>();
  for (const route of routes) {
    const priorities = models.get(route.model.id) ?? new Map<number, Route[]>();
    models.set(route.model.id, priorities);
    const priority = route.deployment.priority ?? 0;
    priorities.set(priority, [...(priorities.get(priority) ?? []), route]);
  }
  return [...models].flatMap(([modelId, priorities]) =>
    [...priorities]
      .sort(([one], [other]) => one - other)
      .map(([, group]) => ({
        modelId,
        routes: group.map((route) => ({
          choice: route,
          name: route.deployment.id,
          weight: route.deployment.weight ?? 1,
        })),
        shared: group.some(({ deployment }) => deployment.weight !== undefined),
      })),
  );
}
