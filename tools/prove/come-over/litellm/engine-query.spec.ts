import { jsonFields, toEngineQuery } from './engine-query';

const json = jsonFields(
  'model User {\n  id String @id\n  metadata Json @default("{}")\n  note Json?\n}\nmodel Other {\n  id Int\n}\n',
);

it('reads what is asked of a model, with what is to come of its relations', () => {
  const question = `query {
    result: findUniqueLiteLLM_VerificationTokenOrThrow
    (
      where: {
        token: "88dc\\n\\"{x}\\""
      }
    )
    {
      token
      models
      litellm_budget_table {
        budget_id
      }
      logs(
        take: 3
      )
      {
        spend
      }
    }
  }`;
  expect(toEngineQuery(question, json)).toEqual({
    modelName: 'LiteLLM_VerificationToken',
    action: 'findUniqueOrThrow',
    query: {
      arguments: { where: { token: '88dc\n"{x}"' } },
      selection: {
        token: true,
        models: true,
        litellm_budget_table: { arguments: {}, selection: { budget_id: true } },
        logs: { arguments: { take: 3 }, selection: { spend: true } },
      },
    },
  });
});

it('reads lists, numbers, flags, nothing and names of enumerations', () => {
  const question = `mutation { result: updateManyUser (
    where: { OR: [{ spend: { gt: -1.5e-05 } }, { blocked: null }], id: { in: ["a", "b"] }, list: [] }
    data: { active: true, count: { increment: 1 } } orderBy: asc
  ) { count } }`;
  expect(toEngineQuery(question, json)).toEqual({
    modelName: 'User',
    action: 'updateMany',
    query: {
      arguments: {
        where: { OR: [{ spend: { gt: -0.000015 } }, { blocked: null }], id: { in: ['a', 'b'] }, list: [] },
        data: { active: true, count: { increment: 1 } },
        orderBy: 'asc',
      },
      selection: { count: true },
    },
  });
});

it('marks what is JSON, as a text or as what a field is set to', () => {
  const question = `mutation { result: updateOneUser (
    where: { id: "{}" } data: { metadata: "{\\"a\\":1}", note: { set: "[]" } }
  ) { id } }`;
  expect(toEngineQuery(question, json).query.arguments).toEqual({
    where: { id: '{}' },
    data: { metadata: { $type: 'Json', value: '{"a":1}' }, note: { set: { $type: 'Json', value: '[]' } } },
  });
});

it('reads SQL with its values, which are JSON in a text', () => {
  const question = String.raw`mutation { result: queryRaw (query: "SELECT $1::int" parameters: "[1, \"{\"]") }`;
  expect(toEngineQuery(question, json)).toEqual({
    action: 'queryRaw',
    query: { arguments: { query: 'SELECT $1::int', parameters: '[1, "{"]' }, selection: {} },
  });
});

it('takes nothing that is no question', () => {
  expect(() => toEngineQuery('query { result: findManyUser', json)).toThrow('ends too early');
  expect(() => toEngineQuery('query ( result', json)).toThrow('{ is missing');
});
