import { takesMedia } from '@tollgate/dialects';
import type { Route } from './route-table';
import { weightedOrder, type Weighted } from './weighted-order';

/** Routes of one model and priority. */
interface RouteGroup {
  readonly modelId: string;
  readonly routes: readonly Weighted<Route>[];
  /** False: they are tried in their own order. */
  readonly shared: boolean;
  /** They are servers whose requests wait: none gets many more than its share while others have room. */
  readonly balanced: boolean;
}

/** What servers that share a model are chosen by, beside the caller. */
export interface Balance {
  /** What stays the same from turn to turn of a conversation: its server has its beginning in its cache. */
  conversation: () => string;
  /** How many requests this instance has under way or waiting there. */
  loadOf: (route: Route) => number;
  /** Whether a request of this caller would be let through there now. */
  isOpen: (route: Route) => boolean;
}

/**
 * A server that shares a model has at most so many times its share of what is under way, rounded up, before a
 * conversation goes elsewhere.
 * https://arxiv.org/abs/1608.01350
 */
const overload = 1.25;

/**
 * The routes of one model in groups that are tried one after the other: its own deployments by priority, then
 * those of each fallback. A group in which a deployment has a weight is shared out among the callers, each of
 * which stays at its place, where the provider's prompt cache knows it. Of servers whose requests wait each
 * conversation has its own place, unless that is overloaded: then the least busy ones come first.
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

  /** `caller` is the id of an API key. Without `balance` nothing but the caller decides. */
  orderFor(caller: string, balance: Balance | null = null): readonly Route[] {
    return this.common ?? this.groups.flatMap((group) => inOrder(group, caller, balance));
  }
}

function inOrder({ modelId, routes, shared, balanced }: RouteGroup, caller: string, balance: Balance | null): Route[] {
  if (!shared) return routes.map(({ choice }) => choice);
  if (!balanced || !balance) return weightedOrder(routes, `${caller} ${modelId}`);
  const seed = `${caller} ${modelId} ${balance.conversation()}`;
  // What is held or left alone has no share, and is not idle because it has nothing under way.
  const open = routes.filter(({ choice }) => balance.isOpen(choice));
  const closed = routes.filter((route) => !open.includes(route));
  return [...leastBusyFirst(weightedOrder(open, seed), open, balance.loadOf), ...weightedOrder(closed, seed)];
}

/**
 * The first choice stays in front while it has no more than its bounded share; else the least busy ones come
 * first, by their weight.
 */
function leastBusyFirst(order: Route[], routes: RouteGroup['routes'], loadOf: Balance['loadOf']): Route[] {
  const places = routes.map(({ choice, weight }) => ({ choice, weight, load: loadOf(choice) }));
  const own = places.find(({ choice }) => choice === order[0]);
  if (!own || own.load + 1 <= shareIn(places, own)) return order;
  const busyness = new Map(
    places.map(({ choice, weight, load }) => [choice, weight > 0 ? (load + 1) / weight : Infinity]),
  );
  return order.toSorted((one, other) => (busyness.get(one) ?? 0) - (busyness.get(other) ?? 0));
}

interface LoadedPlace {
  weight: number;
  load: number;
}

/**
 * How much this place may have before it is overloaded. Those that are raise nobody's share: what they have
 * may be requests of others, which go nowhere else. One of them may have nothing.
 */
function shareIn(places: readonly LoadedPlace[], own: LoadedPlace): number {
  const weights = places.reduce((sum, { weight }) => sum + weight, 0);
  const total = places.reduce((sum, { load }) => sum + load, 0) + 1;
  const shareOf = ({ weight }: LoadedPlace): number => Math.ceil((overload * total * weight) / weights);
  const within = places.filter((place) => place.load <= shareOf(place));
  if (within.length === places.length) return shareOf(own);
  return within.includes(own) ? shareIn(within, own) : 0;
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
        balanced: group.every(({ endpoint }) => endpoint.provider.queues),
      })),
  );
}

type Media = Parameters<typeof takesMedia>[1];

/**
 * The same routes, of whose fallbacks those come first that take what is to be read now: where a tool has
 * just read a picture, a model that is told of it in words would go on blind. The places of the model that
 * was asked stay in front, and nothing is left out. `mediaToRead` is asked only where fallbacks differ.
 */
export function seeingFirst(
  routes: readonly Route[],
  { model }: { model: string },
  mediaToRead: () => readonly Media[],
): readonly Route[] {
  const fallbacks = routes.filter((route) => route.model.id !== model);
  const abilities = new Set(fallbacks.map((route) => [...route.model.inputModalities].sort().join()));
  if (abilities.size < 2) return routes;
  const needs = mediaToRead();
  const takesAll = (route: Route): boolean => needs.every((need) => takesMedia(route.model, need));
  const own = routes.filter((route) => route.model.id === model);
  return [...own, ...fallbacks.filter(takesAll), ...fallbacks.filter((route) => !takesAll(route))];
}
