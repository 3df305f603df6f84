import { z } from 'zod/mini';
import { apiDocument, endpointsOf, partsOf } from './api-description';

const document = z.parse(apiDocument, {
  openapi: '3.1.0',
  components: {
    schemas: {
      Question: {
        type: 'object',
        required: ['model'],
        properties: {
          model: { type: 'string', description: 'Its id' },
          stop: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }] },
          tier: { enum: ['flex', 'batch'] },
        },
      },
    },
  },
  paths: {
    '/v1/ask': {
      post: {
        summary: 'Ask',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Question' } } } },
        responses: {
          '400': { description: 'Error' },
          '200': {
            content: { 'application/json': { schema: { type: 'object', properties: { id: { type: 'integer' } } } } },
          },
        },
      },
      get: {
        tags: ['Administration'],
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'limit', in: 'query', description: 'At most', schema: { type: ['integer', 'null'] } },
        ],
        responses: { '204': { description: 'Done' } },
      },
    },
  },
});

it('tells each endpoint with what it takes and answers', () =>
  expect(endpointsOf(document)).toEqual([
    {
      ...{ method: 'POST', path: '/v1/ask', group: null, summary: 'Ask', parameters: [] },
      body: [
        { name: 'model', type: 'string', required: true, description: 'Its id' },
        { name: 'stop', type: 'string | string[]', required: false, description: '' },
        { name: 'tier', type: '"flex" | "batch"', required: false, description: '' },
      ],
      answer: [{ name: 'id', type: 'integer', required: false, description: '' }],
    },
    {
      ...{ method: 'GET', path: '/v1/ask', group: 'Administration', summary: '', body: [], answer: [] },
      parameters: [
        { name: 'id (path)', type: 'string', required: true, description: '' },
        { name: 'limit', type: 'integer', required: false, description: 'At most' },
      ],
    },
  ]));

it.each([
  [
    'of `limit` keys',
    [
      [0, 'of ', false],
      [3, 'limit', true],
      [10, ' keys', false],
    ],
  ],
  [
    '`a` and `b`',
    [
      [0, 'a', true],
      [3, ' and ', false],
      [8, 'b', true],
    ],
  ],
  [
    'an odd ` stays',
    [
      [0, 'an odd ', false],
      [7, '`', false],
      [8, ' stays', false],
    ],
  ],
  [
    '``',
    [
      [0, '`', false],
      [1, '`', false],
    ],
  ],
  ['', []],
])('tells what is code in %j', (text, parts) =>
  expect(partsOf(text)).toEqual(parts.map(([at, part, isCode]) => ({ at, part, isCode }))),
);
