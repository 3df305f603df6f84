import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { errorReasons } from '@tollgate/contracts';
import { servedRoutes } from '../admin-api/served-routes';
import { operations } from '../generation/operations';
import { dashboardRoutes } from '../dashboard/dashboard-routes';
import { inCountedTurns } from '../testing/in-counted-turns';
import { addOpenApi, openApiDocument } from './openapi-document';

function whole(steps = openApiDocument()) {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

describe('the public contract', () => {
  const document = whole();

  it('describes every operation and every reading endpoint', () => {
    const paths = [...operations.map(({ path }) => path), '/v1/models', '/v1/models/{id}', '/v1/usage', '/api/metrics'];
    paths.push('/v1/responses/{id}', '/v1/responses/{id}/cancel', '/v1/responses/{id}/input_items');
    paths.push('/v1/conversations', '/v1/conversations/{id}');
    paths.push('/v1/conversations/{id}/items', '/v1/conversations/{id}/items/{itemId}');
    const ofDashboard = dashboardRoutes.map(({ path }) => path.replace(/:(\w+)/g, '{$1}'));
    const ofMachines = servedRoutes.map(({ path }) => `/api/admin/v1${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(Object.keys(document.paths).sort()).toEqual([...new Set([...paths, ...ofDashboard, ...ofMachines])].sort());
  });

  it('describes every route of the admin API with its scope, its token, body and answer', () => {
    for (const route of servedRoutes) {
      const { method, path, scope, status, body } = route;
      const item = document.paths[`/api/admin/v1${path.replace(/:(\w+)/g, '{$1}')}`];
      const described = {
        ...{ GET: item?.get, POST: item?.post, PUT: item?.put },
        ...{ PATCH: item?.patch, DELETE: item?.delete },
      }[method];
      expect(described).toMatchObject({ tags: ['Administration'], security: [{ adminToken: [] }] });
      expect(described?.summary).toContain(scope);
      expect(JSON.stringify(described?.responses[status])).toContain('schema');
      const isDoneOnce = route.method !== 'GET' && !route.act;
      expect([path, JSON.stringify(described?.parameters).includes('idempotency-key')]).toEqual([path, isDoneOnce]);
      const mayConflict =
        isDoneOnce ||
        (method === 'PATCH' && path === '/providers/:provider') ||
        /^\/(config|guardrails(?!\/try)|models(?!\/switch)|plans|prices(?!\/import)|price-factors)\b/.test(path);
      expect([path, described?.responses['409'] !== undefined]).toEqual([path, method !== 'GET' && mayConflict]);
      const hasBody = Object.keys(body.shape).length > 0;
      expect([path, described?.requestBody !== undefined]).toEqual([path, hasBody]);
    }
  });

  it('describes every route of the dashboard in a section of its own, with its session, body and answer', () => {
    for (const { method, path, access, body, answer, status, isDoneOnce } of dashboardRoutes) {
      const item = document.paths[path.replace(/:(\w+)/g, '{$1}')];
      const described = method === 'GET' ? item?.get : method === 'POST' ? item?.post : item?.patch;
      expect(described).toMatchObject({
        tags: ['Dashboard'],
        security: access === 'anyone' ? [] : [{ session: [] }],
        responses: { [status]: expect.anything(), 403: expect.anything() },
      });
      expect([path, described?.responses['409'] !== undefined]).toEqual([path, method !== 'GET']);
      expect([path, JSON.stringify(described?.parameters).includes('idempotency-key')]).toEqual([path, isDoneOnce]);
      expect([path, described?.requestBody !== undefined]).toEqual([path, body !== null]);
      expect([path, JSON.stringify(described?.responses[status]).includes('schema')]).toEqual([path, answer !== null]);
    }
  });

  it('has no reference to a schema that is not there', () => {
    const names = [...JSON.stringify(document.paths).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
      ([, name]) => name,
    );
    expect(names.filter((name) => !(name && document.components?.schemas?.[name]))).toEqual([]);
  });

  it('gives the errors of the messages endpoints in the shape that Anthropic clients read', () => {
    const shapeAt = (path: string) => JSON.stringify(document.paths[path]?.post?.responses['429']);
    expect(shapeAt('/v1/messages')).toContain('/MessagesError');
    expect(shapeAt('/v1/messages/count_tokens')).toContain('/MessagesError');
    expect(shapeAt('/v1/embeddings')).toContain('/Error');
  });

  it.each(Object.keys(errorReasons))('says of both shapes of errors what a program can do about %s', (reason) => {
    for (const name of ['Error', 'MessagesError'])
      expect(JSON.stringify(document.components?.schemas?.[name])).toContain(`\`${reason}\` (`);
  });
});

it('is written once, and sent to everybody as the same bytes', async () => {
  const app = new FastifyAdapter();
  const sent: unknown[] = [];
  app.getInstance().addHook('onSend', (_request, _reply, payload, done) => {
    sent.push(payload);
    done(null, payload);
  });
  addOpenApi({ getHttpAdapter: () => app } as unknown as NestFastifyApplication);
  for (let caller = 0; caller < 2; caller++) await app.inject({ url: '/openapi.json' });
  expect(Buffer.isBuffer(sent[0])).toBe(true);
  expect(sent[1]).toBe(sent[0]);
});

/** A server of the contract that nobody has asked for it yet. */
function unasked(): FastifyAdapter {
  const app = new FastifyAdapter();
  addOpenApi({ getHttpAdapter: () => app } as unknown as NestFastifyApplication);
  return app;
}

it('has the text that is made in one piece, of which none is large', async () => {
  const app = unasked();
  const write = jest.spyOn(JSON, 'stringify');
  const { rawPayload } = await app.inject({ url: '/openapi.json' });
  const lengths = write.mock.results.map(({ value }) => String(value).length);
  write.mockRestore();
  expect(rawPayload.toString()).toBe(JSON.stringify(whole()));
  expect(Math.max(...lengths)).toBeLessThan(rawPayload.length / 8);
});

it('is written once more for the next one where that failed', async () => {
  const app = unasked();
  await app.inject({ url: '/' });
  const write = jest.spyOn(JSON, 'stringify').mockImplementationOnce(() => {
    throw new Error('no memory');
  });
  expect((await app.inject({ url: '/openapi.json' })).statusCode).toBe(500);
  write.mockRestore();
  expect((await app.inject({ url: '/openapi.json' })).statusCode).toBe(200);
});

it('is written in many turns of the event loop, so that others are served meanwhile', async () => {
  const app = unasked();
  const { turns } = await inCountedTurns(async () => app.inject({ url: '/openapi.json' }));
  expect(turns).toBeGreaterThan(servedRoutes.length);
});
