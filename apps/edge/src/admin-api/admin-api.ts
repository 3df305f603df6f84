import { Readable } from 'node:stream';
import {
  Injectable,
  StreamableFile,
  Controller,
  HttpCode,
  Req,
  RequestMapping,
  RequestMethod,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Operation } from '@tollgate/contracts';
import {
  administrationOperations,
  type AdminToken,
  adminTokenOperations,
  ownKeyOperations,
  accountsOperations,
} from '@tollgate/contracts/accounts';
import { liveProviderOperations, type PriceDoubt } from '@tollgate/contracts/catalog';
import type { AdminRoute } from '@tollgate/contracts/edge';
import { ledgerOperations, reportOperations, contentLogOperations } from '@tollgate/contracts/metering';
import type { ModelCatalog } from '../catalog/model-catalog';
import { DashboardServices } from '../dashboard/dashboard-services';
import { Download } from '../dashboard/route';
import { JsonBodies, parseShape } from '../http/json-bodies';
import { askOnce, onceOf, replayedHeader } from './done-once';
import { type AdminRequest, AdminGuard, OpensTo } from './admin.strategy';
import { withSealedKey, withSealedOwnKey } from './seal-given-key';
import { type ServedRoute, adminBase, servedRoutes } from './served-routes';

type Act = Omit<z.input<typeof administrationOperations.recordAct.request>, 'actor'>;
const { read, remove, removeOfKey } = contentLogOperations;
const named = read.request.pick({ id: true });
const ofKey = removeOfKey.request.pick({ keyId: true });

/**
 * What is written down of what is asked: of texts, in the log of the account whose they are, and of which
 * request and key. Null: nothing.
 * @throws GatewayError 404 where there is no such text, or key.
 */
async function actOnTexts(
  { act, operation: { subject } }: AdminRoute,
  asked: Record<string, unknown>,
  services: DashboardServices,
): Promise<Act | null> {
  const told = act?.(asked) ?? null;
  if (!told) return null;
  if (subject === read.subject || subject === remove.subject) {
    const { id } = named.parse(asked);
    const { accountId, requestId, keyId } = await services.ask(contentLogOperations.find, { id });
    return { ...told, accountId, detail: { ...told.detail, requestId, keyId } };
  }
  if (subject !== removeOfKey.subject) return told;
  const { key } = await services.ask(accountsOperations.getKey, ofKey.parse(asked));
  return { ...told, accountId: key.accountId };
}

/** What the services are asked, and answer, whichever operation it is. */
type Members = Record<string, unknown>;
const members = z.record(z.string(), z.unknown());

/** Answers the routes of the admin API by the operations that the dashboard and the CLI ask. */
@Injectable()
export class AdminApi {
  private readonly bodies = new JsonBodies();

  constructor(private readonly services: DashboardServices) {}

  /** @throws GatewayError what the request is refused with; CallerLeft. */
  async answer(route: ServedRoute, request: AdminRequest, reply: FastifyReply): Promise<object> {
    reply.header('cache-control', 'no-store');
    const asked = {
      ...fromAddress(route.named, request.params),
      ...fromAddress(route.query, request.query),
      ...(await this.bodyOf(route, request)),
    };
    if ('read' in route) return sent(await route.read(this.services, asked), reply);
    if (route.method === 'GET' && !route.act)
      return toldOf(
        route,
        withPriceDoubts(route.operation.subject, await this.ask(route, asked), this.services.catalog),
      );
    if (!route.act) return toldOf(route, await this.change(route, asked, request, reply));
    const actor = actorOf(request.user);
    // What cannot be written down is not done.
    const act = await actOnTexts(route, asked, this.services);
    if (act) await this.services.ask(administrationOperations.recordAct, { ...act, actor });
    const isKey = route.operation.subject === liveProviderOperations.setKey.subject;
    const told = isKey ? await withSealedKey(asked, this.services) : asked;
    return toldOf(route, await this.ask(route, { ...told, by: actor }));
  }

  private ask({ operation, timeoutMs }: AdminRoute, asked: Members): Promise<unknown> {
    return this.services.ask(operation, asked, timeoutMs === undefined ? undefined : { timeoutMs });
  }

  /** A change in accounts, done once where the request has an idempotency key. @throws GatewayError. */
  private async change(
    route: AdminRoute,
    asked: Members,
    request: AdminRequest,
    reply: FastifyReply,
  ): Promise<unknown> {
    const isOwnKey = ownKeySetting.has(route.operation.subject);
    // A key that is given in the clear is in no digest; to set it twice is to set it.
    const { headers, user } = request;
    const isInClear = isOwnKey && asked['key'] !== undefined;
    const once = isInClear ? null : onceOf(headers, user.id, [route.method, route.path, asked]);
    const told = isOwnKey ? await withSealedOwnKey(asked, this.services) : asked;
    const isToken = route.operation.subject === adminTokenOperations.createUnder.subject;
    const wanted = { ...told, actor: actorOf(user), ...(isToken && { under: user.id }) };
    if (once === null) return this.ask(route, wanted);
    const { answer, isReplay } = await askOnce(this.services, route.operation, wanted, once);
    if (isReplay) reply.header(replayedHeader, 'true');
    return answer;
  }

  private async bodyOf({ body, method, mostBytes }: ServedRoute, request: FastifyRequest): Promise<Members> {
    if (Object.keys(body.shape).length === 0) return {};
    // Few clients send a body with DELETE.
    return parseShape(body, method === 'DELETE' && isEmpty(request) ? {} : await this.bodies.read(request, mostBytes));
  }
}

const { set, setForProject } = ownKeyOperations;
/** What gives keys that edge seals. */
const ownKeySetting: ReadonlySet<string> = new Set([set.subject, setForProject.subject]);

/** What edge made by itself: a file as it is made, all else as JSON. */
function sent(answer: object, reply: FastifyReply): object {
  if (!(answer instanceof Download)) return answer;
  reply.header('content-disposition', `attachment; filename="${answer.fileName}"`);
  return new StreamableFile(Readable.from(answer.pieces), { type: answer.contentType });
}

/** A body has a length, or comes in pieces. */
function isEmpty({ headers }: FastifyRequest): boolean {
  return Number(headers['content-length'] ?? 0) === 0 && headers['transfer-encoding'] === undefined;
}

/** The values of an address, which are texts, as a schema has them. @throws GatewayError 400. */
function fromAddress(schema: z.ZodObject, values: unknown): Members {
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  const given = Object.entries(values as Members).map(([name, value]) => {
    const member = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return [name, member ? valueOf(member, value) : value];
  });
  return parseShape(schema, Object.fromEntries(given));
}

/** A text of an address as the number, the list, or whatever else, that its member is. */
function valueOf(member: z.ZodType, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return [value, readJson(value), [value]].find((one) => member.safeParse(one).success) ?? readJson(value);
}

/** The text itself where it is no JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Who acts, as the audit log tells it. */
export function actorOf({ name, display }: AdminToken): string {
  return `token:${name} (${display})`;
}

/** A list as one page, and what else is told of it. */
function toldOf({ list }: AdminRoute, answer: unknown): object {
  const told = members.parse(answer);
  if (list === null) return told;
  const { [list]: data, next = null, ...rest } = told;
  return { data, has_more: next !== null, next, ...rest };
}

type DoubtOf = (model: string) => PriceDoubt;
type Told = (reply: unknown, doubtOf: DoubtOf) => object;

function told<Reply extends z.ZodType>(
  { subject }: Pick<Operation<z.ZodType, Reply>, 'subject' | 'reply'>,
  tell: (reply: z.output<Reply>, doubtOf: DoubtOf) => object,
): [string, Told] {
  // What services answer was checked when it came: to check a long series again takes as long.
  return [subject, (answer, doubtOf) => tell(answer as z.output<Reply>, doubtOf)];
}

/** Replies with costs of single models, by the subject of what is asked. */
const withCosts: ReadonlyMap<string, Told> = new Map([
  told(reportOperations.listRequests, ({ requests, ...rest }, doubtOf) => {
    return { requests: requests.map((request) => ({ ...request, ...doubtOf(request.model) })), ...rest };
  }),
  told(reportOperations.series, ({ lines, ...rest }, doubtOf) => {
    return { ...rest, lines: lines.map((line) => ({ ...line, ...doubtOf(line.name) })) };
  }),
  told(ledgerOperations.explain, ({ events }, doubtOf) => {
    return { events: events.map((explained) => ({ ...explained, ...doubtOf(explained.event.model) })) };
  }),
]);

/**
 * A reply with what the catalog doubts of the price behind each cost of one model in it. Lines of a series
 * that are named by something else, and models that the catalog has no more, are without it.
 */
function withPriceDoubts(subject: string, reply: unknown, catalog: ModelCatalog): unknown {
  return withCosts.get(subject)?.(reply, (model) => doubtOf(catalog, model)) ?? reply;
}

function doubtOf(catalog: ModelCatalog, model: string): PriceDoubt {
  const standing = catalog.priceStanding(model);
  if (!standing) return {};
  return { priceUnconfirmed: standing.unconfirmed, pricesOldSince: standing.old ? standing.day : null };
}

/** The admin API: a handler for each of its routes. */
@Controller(adminBase)
@UseGuards(AdminGuard)
export class AdminApiController {
  constructor(readonly api: AdminApi) {}
}

for (const route of servedRoutes) serve(route);

function serve(route: ServedRoute): void {
  const name = `${route.method} ${route.path}`;
  const handler = function (this: AdminApiController, request: AdminRequest, reply: FastifyReply): Promise<object> {
    return this.api.answer(route, request, reply);
  };
  const descriptor: PropertyDescriptor = { value: handler };
  const { prototype } = AdminApiController;
  Object.defineProperty(prototype, name, descriptor);
  Req()(prototype, name, 0);
  Res({ passthrough: true })(prototype, name, 1);
  for (const decorate of [
    RequestMapping({ path: route.path, method: RequestMethod[route.method] }),
    HttpCode(route.status),
    OpensTo(route),
  ])
    decorate(prototype, name, descriptor);
}
