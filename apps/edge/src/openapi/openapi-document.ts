import type { OpenAPIObject } from '@nestjs/swagger';
import { anthropicListQuery, anthropicModel, anthropicModelList } from '../catalog/anthropic-models';
import { codexListQuery, codexModelList } from '../catalog/codex-models';
import { modelEntry, modelList } from '../catalog/model-entry';
import { metricsAnswer, metricsQuery, usageAnswer } from '../reports/report-shapes';
import type { z } from 'zod';
import { inputItemList, inputItemsQuery, removedResponse } from '../responses/kept-items';
import { dashboardItems } from './dashboard-items';
import { errors, parameter, reference, toSchema } from './document-parts';
import { operationItems, operationSchemas } from './operation-items';

type PathItem = OpenAPIObject['paths'][string];

/** The public contract, from the schemas that validate. */
export function openApiDocument(): OpenAPIObject {
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
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'tollgate_session',
          description: 'The session of the dashboard; on HTTPS its name begins with __Host-',
        },
      },
      schemas: {
        ...Object.fromEntries(Object.entries(operationSchemas).map(([name, schema]) => [name, toSchema(schema)])),
        Model: toSchema(modelEntry),
        ModelList: toSchema(modelList),
        AnthropicModel: toSchema(anthropicModel),
        AnthropicModelList: toSchema(anthropicModelList),
        CodexModelList: toSchema(codexModelList),
        InputItemList: toSchema(inputItemList),
        RemovedResponse: toSchema(removedResponse),
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
      '/v1/responses/{id}': {
        get: { ...reading('A kept response', 'Response'), parameters: [responseId] },
        delete: { ...reading('Remove a kept response', 'RemovedResponse'), parameters: [responseId] },
      },
      '/v1/responses/{id}/input_items': {
        get: {
          ...reading('Everything that a kept response was made from, in pages', 'InputItemList'),
          parameters: [responseId, ...queryParameters(inputItemsQuery)],
        },
      },
      '/v1/usage': { get: reading('Token quota of the calling key', 'Usage') },
      '/api/metrics': {
        get: {
          ...reading('Requests, tokens and cost of the calling key', 'Metrics'),
          parameters: queryParameters(metricsQuery),
        },
      },
      ...dashboardItems(),
    },
  };
}

const responseId = parameter('path', 'id', 'The id of a response, of any key of this account');

const anthropicVersion = parameter(
  'header',
  'anthropic-version',
  "With it the answer is in Anthropic's shape, and a list comes in pages",
);

/** `schemas` names the forms that the answer may have. */
function reading(summary: string, ...schemas: [string, ...string[]]): NonNullable<PathItem['get']> {
  const [only] = schemas;
  const schema = schemas.length === 1 ? reference(only) : { anyOf: schemas.map(reference) };
  return {
    summary,
    responses: {
      ...errors(['400', '401', '403', '404', '429', '500', '503'], 'Error'),
      '200': { description: 'OK', content: { 'application/json': { schema } } },
    },
  };
}

function queryParameters({ shape }: { shape: Readonly<Record<string, z.ZodType>> }) {
  return Object.entries(shape).map(([name, schema]) => ({
    name,
    in: 'query' as const,
    required: false,
    description: schema.description ?? '',
    schema: toSchema(schema),
  }));
}
