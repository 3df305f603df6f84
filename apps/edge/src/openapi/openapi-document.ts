import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { anthropicListQuery, anthropicModel, anthropicModelList } from '../catalog/anthropic-models';
import { codexListQuery, codexModelList } from '../catalog/codex-models';
import { modelEntry, modelList } from '../catalog/model-entry';
import { metricsAnswer, metricsQuery, usageAnswer, usageQuery } from '../reports/report-shapes';
import { adminItems } from './admin-items';
import { dashboardItems } from './dashboard-items';
import { parameter, queryParameters, reading, toSchema } from './document-parts';
import { keptPaths, keptSchemas } from './kept-items';
import { operationItems, operationSchemas } from './operation-items';

/** The public contract, from the schemas that validate, in some hundred steps. */
export function* openApiDocument(): Generator<void, OpenAPIObject> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollgate',
      version: '1',
      description: 'One API key, one base address, every model of every provider.',
    },
    servers: [{ url: '/' }],
    tags: [
      {
        name: 'Administration',
        description:
          'For machines, with an admin token (`tollgate tokens create`). A write that has an Idempotency-Key is done once.',
      },
      {
        name: 'Dashboard',
        description:
          'What the dashboard itself uses, with the session of a browser. Every change needs a same-origin Origin and the header x-csrf-token with what GET /api/auth/me told.',
      },
    ],
    security: [{ key: [] }],
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'Your API key. Clients that only send x-api-key may use that header.',
        },
        adminToken: { type: 'http', scheme: 'bearer', description: 'An admin token with the scope of the route.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'tollgate_session',
          description: 'The session of the dashboard; on HTTPS its name begins with __Host-',
        },
      },
      schemas: {
        ...(yield* named(operationSchemas)),
        Model: toSchema(modelEntry),
        ModelList: toSchema(modelList),
        AnthropicModel: toSchema(anthropicModel),
        AnthropicModelList: toSchema(anthropicModelList),
        CodexModelList: toSchema(codexModelList),
        ...(yield* named(keptSchemas)),
        Usage: toSchema(usageAnswer),
        Metrics: toSchema(metricsAnswer),
      },
    },
    paths: {
      ...operationItems(),
      '/v1/models': {
        get: {
          ...reading('List the live models that this key may use', 'ModelList', 'AnthropicModelList', 'CodexModelList'),
          parameters: [anthropicVersion, ...queryParameters(anthropicListQuery), ...queryParameters(codexListQuery)],
        },
      },
      '/v1/models/{id}': {
        get: {
          ...reading('One model', 'Model', 'AnthropicModel'),
          parameters: [anthropicVersion, parameter('path', 'id', 'Model id; it may hold slashes')],
        },
      },
      ...keptPaths(),
      '/v1/usage': {
        get: {
          ...reading('Token quota and budgets of the calling key', 'Usage'),
          parameters: queryParameters(usageQuery),
        },
      },
      '/api/metrics': {
        get: {
          ...reading('Requests, tokens and cost of the calling key', 'Metrics'),
          parameters: queryParameters(metricsQuery),
        },
      },
      ...(yield* adminItems()),
      ...(yield* dashboardItems()),
    },
  };
}

const anthropicVersion = parameter(
  'header',
  'anthropic-version',
  "With it the answer is in Anthropic's shape, and a list comes in pages",
);

/** Schemas by their names, one a step. */
function* named(schemas: Readonly<Record<string, z.ZodType>>) {
  const described: Record<string, ReturnType<typeof toSchema>> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    described[name] = toSchema(schema);
    yield;
  }
  return described;
}

/**
 * Serves the public contract at /openapi.json, made when it is first asked for; people browse it at /docs, a
 * page of the dashboard.
 */
export function addOpenApi(app: NestFastifyApplication): void {
  // Bytes, as each answer would write a text anew: a megabyte of memory for everybody who does not read it.
  let text: Promise<Buffer> | undefined;
  const written = () => {
    text ??= writtenInTurns().catch((error: unknown) => {
      // Whoever asks next has it written once more.
      text = undefined;
      throw error;
    });
    return text;
  };
  app
    .getHttpAdapter()
    .getInstance()
    .get('/openapi.json', async (_request, reply) => reply.type('application/json').send(await written()));
}

/** In one turn of the event loop it took 0.1 to 0.2 s, and anybody may ask for it. */
async function writtenInTurns(): Promise<Buffer> {
  const steps = openApiDocument();
  let step = steps.next();
  for (; !step.done; step = steps.next()) await nextTurn();
  const pieces: Buffer[] = [];
  let left = turnBytes;
  for (const text of jsonPieces(step.value, piecesDepth)) {
    const piece = Buffer.from(text);
    pieces.push(piece);
    left -= piece.length;
    if (left > 0) continue;
    left = turnBytes;
    await nextTurn();
  }
  return Buffer.concat(pieces);
}

/** So much of the text is written in one turn of the event loop: some tenths of a millisecond. */
const turnBytes = 32_768;
/** What lies so deep is a piece of its own: `/components/schemas/Model`. */
const piecesDepth = 3;

/** What `JSON.stringify` writes of plain values; members of objects are pieces, down to so many levels. */
function* jsonPieces(value: unknown, depth: number): Generator<string> {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield JSON.stringify(value);
    return;
  }
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* jsonPieces(member, depth - 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
