import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import fastifyCookie from '@fastify/cookie';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { GatewayError } from '@tollgate/contracts';
import { peopleOperations, type SignedIn } from '@tollgate/contracts/accounts';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { askOnce, onceOf, replayedHeader } from '../admin-api/done-once';
import { errorHeaders } from '../errors/error-reply';
import { errorToTell } from '../errors/to-gateway-error';
import { CallerLeft } from '../generation/caller-left';
import { JsonBodies, parseShape } from '../http/json-bodies';
import { contextOf } from '../http/request-context';
import { Settings } from '../settings';
import { dashboardRoutes } from './dashboard-routes';
import { DashboardServices } from './dashboard-services';
import { requirePermission } from './require-permission';
import { Download, HandOver, Redirect } from './route';
import type { AskOnce, DashboardRoute } from './route';
import { requireOwnPage } from './same-origin';
import { SessionCookie } from './session-cookie';

const compress = promisify(gzip);
/**
 * Answers from this length on are compressed, bytes. Those that hold a secret (a CSRF token, a new key) are
 * far shorter: their length tells nothing of it.
 */
const compressFrom = 8_192;
/**
 * A chart of a year by 20 keys (2.8 MB) takes some 28 ms so, and 47 to 73 at zlib's usual 6, which makes it a
 * tenth shorter.
 */
const level = 3;

/**
 * Registers every route of the dashboard's API. Cookies are read here only: callers with keys do not pay for
 * it.
 */
export function serveDashboardApi(app: NestFastifyApplication): void {
  const door = new DashboardDoor(app.get(DashboardServices), app.get(Settings), app.get<Logger>(LOGGER));
  void app
    .getHttpAdapter()
    .getInstance()
    .register((fastify, _options, done) => {
      void fastify.register(fastifyCookie);
      for (const route of dashboardRoutes)
        fastify.route({
          method: route.method,
          url: route.path,
          // Some of these use up what they are asked with (the way back from an OpenID provider); none is of
          // use without its answer.
          exposeHeadRoute: false,
          handler: (request, reply) => void door.answer(route, request, reply),
        });
      done();
    });
}

/**
 * What stands before every route: who asks, may they, does the request come from our own page, is it well
 * formed.
 */
class DashboardDoor {
  private readonly bodies = new JsonBodies();

  constructor(
    private readonly services: DashboardServices,
    private readonly settings: Settings,
    private readonly logger: Logger,
  ) {}

  /** Answers one request. It never rejects. */
  async answer(route: DashboardRoute, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.header('cache-control', 'no-store');
    try {
      await sendAnswer(await this.outcome(route, request, reply), route.status, request, reply);
    } catch (thrown) {
      if (thrown instanceof CallerLeft) return void reply.hijack();
      const error = this.toError(thrown, request);
      const { 'www-authenticate': _, ...headers } = errorHeaders(error);
      void reply.status(error.status).headers(headers).send(error.body);
    }
  }

  private async outcome(route: DashboardRoute, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const cookie = new SessionCookie(request, reply, this.settings.pepper);
    if (route.method !== 'GET') requireOwnPage(request.headers, request.host, cookie);
    const signedIn = route.access === 'anyone' ? null : await this.whoAsks(route, cookie);
    const query = parseShape(route.query, request.query);
    const body = route.body && parseShape(route.body, await this.bodies.read(request));
    const [, search = ''] = request.url.split(/\?(.*)/s);
    const params = request.params as Partial<Record<string, string>>;
    const client = { address: request.ip, userAgent: (request.headers['user-agent'] ?? '').slice(0, 500) };
    const question = [route.method, route.path, params, body];
    const once = this.onceFor(route, signedIn, question, request, reply);
    const asked = { signedIn, query, body, params, search, client, cookie, message: request.raw, once };
    return route.handle(asked, this.services);
  }

  /** Keys of one person are nothing to another. `question`: what tells one request from another. */
  private onceFor(
    { isDoneOnce, path }: DashboardRoute,
    signedIn: SignedIn | null,
    question: readonly unknown[],
    { headers }: FastifyRequest,
    reply: FastifyReply,
  ): AskOnce {
    return async (operation, wanted) => {
      if (!isDoneOnce || !signedIn) throw new Error(`${path} does not say that it is done once`);
      const once = onceOf(headers, signedIn.person.id, question);
      if (!once) return this.services.ask(operation, wanted);
      const { answer, isReplay } = await askOnce(this.services, operation, wanted, once);
      if (isReplay) reply.header(replayedHeader, 'true');
      return answer;
    };
  }

  /** @throws GatewayError 401 without a session, 403 where only others may. */
  private async whoAsks({ access, beforeSecondFactor }: DashboardRoute, cookie: SessionCookie): Promise<SignedIn> {
    const { token } = cookie;
    const { signedIn } =
      token === null ? { signedIn: null } : await this.services.ask(peopleOperations.session, { token });
    if (!signedIn) throw new GatewayError(401, 'You are not signed in, or your session has ended: sign in.');
    if (signedIn.needsSecondFactor && !beforeSecondFactor)
      throw new GatewayError(403, 'Set up a second factor first: this gateway asks for one beside your password.');
    if (access === 'administrator' && signedIn.person.role !== 'administrator')
      throw new GatewayError(403, 'Only administrators of the gateway may do this: ask one of them.');
    if (access !== 'anyone' && access !== 'person' && access !== 'administrator') requirePermission(signedIn, access);
    return signedIn;
  }

  private toError(thrown: unknown, request: FastifyRequest): GatewayError {
    return errorToTell(thrown, this.logger, contextOf(request.raw)?.requestId, 'a dashboard request failed');
  }
}

/**
 * Sends what a route answered, with its status where that is JSON or nothing. It does not wait until the
 * reader has it.
 */
async function sendAnswer(
  outcome: unknown,
  status: number,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (outcome instanceof HandOver) {
    reply.hijack();
    outcome.answer(reply.raw);
  } else if (outcome instanceof Redirect) {
    void reply.redirect(outcome.url, 303);
  } else if (outcome instanceof Download) {
    reply.header('content-disposition', `attachment; filename="${outcome.fileName}"`);
    void reply.type(outcome.contentType).send(Readable.from(outcome.pieces));
  } else if (outcome === undefined) {
    void reply.status(status).send();
  } else {
    await sendJson(JSON.stringify(outcome), reply.status(status), request);
  }
}

async function sendJson(text: string, reply: FastifyReply, { headers }: FastifyRequest): Promise<void> {
  reply.type('application/json; charset=utf-8');
  if (text.length < compressFrom || !/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return void reply.send(text);
  reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  void reply.send(await compress(text, { level }));
}
