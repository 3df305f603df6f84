import { providerDefinition } from '@tollgate/contracts/catalog';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { aModel } from '@tollgate/testing';
import { model } from '../testing/catalog-fixture';
import { anthropicModel, toAnthropicList, toAnthropicModel } from './anthropic-models';

const models = ['a', 'b', 'c', 'd', 'e'].map((name) => model(`p/${name}`, { name: name.toUpperCase() }));
const idsOf = (query: object, of: CatalogModel[] = models) => {
  const {
    data,
    has_more: more,
    first_id: first,
    last_id: last,
  } = toAnthropicList({ models: of, providers: [] }, query);
  return { ids: data.map(({ id }) => id.slice(2)).join(''), more, first, last };
};

describe("the list of models for Anthropic's clients", () => {
  it('tells each in their shape, with what is always there', () => {
    expect(toAnthropicList({ models, providers: [] }, { limit: '1' }).data).toEqual([
      {
        ...{ type: 'model', id: 'p/a', display_name: 'A', created_at: '2025-06-15T15:06:40.000Z' },
        ...{ max_input_tokens: 128_000, max_tokens: 16_384, capabilities: null, line: null },
        ...{ lifecycle: 'active', deprecated_at: null, retires_at: null },
      },
    ]);
  });

  it('goes page by page, forward and backward, and says whether there is more', () => {
    expect(idsOf({})).toEqual({ ids: 'abcde', more: false, first: 'p/a', last: 'p/e' });
    expect(idsOf({ limit: '2' })).toEqual({ ids: 'ab', more: true, first: 'p/a', last: 'p/b' });
    expect(idsOf({ limit: '2', after_id: 'p/b' })).toMatchObject({ ids: 'cd', more: true });
    expect(idsOf({ limit: '2', after_id: 'p/d' })).toMatchObject({ ids: 'e', more: false });
    expect(idsOf({ after_id: 'p/e' })).toEqual({ ids: '', more: false, first: null, last: null });
    expect(idsOf({ limit: '2', before_id: 'p/d' })).toMatchObject({ ids: 'bc', more: true });
    expect(idsOf({ limit: '2', before_id: 'p/c' })).toMatchObject({ ids: 'ab', more: false });
  });

  it('holds the models of the stages that are asked for', () => {
    const ending = model('p/f', {
      retirement: { deprecated: '2026-10-01', date: '2027-02-01', successor: null, redirects: false },
    });
    const of = [...models.slice(0, 1), ending, model('p/g', { status: 'deprecated' })];
    const asked = [undefined, 'active', 'deprecated', 'retired', ['active', 'deprecated']];
    const found = asked.map((stages) => idsOf({ 'lifecycle[]': stages }, of).ids);
    expect(found).toEqual(['afg', 'a', 'fg', '', 'afg']);
    const later = { deprecated: '9999-01-01', date: '9999-07-01', successor: null, redirects: false };
    expect(toAnthropicModel(model('p/h', { retirement: later }), [])).toMatchObject({
      ...{ lifecycle: 'active', deprecated_at: '9999-01-01T00:00:00Z', retires_at: '9999-07-01T00:00:00Z' },
    });
    expect(toAnthropicModel(ending, [])).toMatchObject({
      ...{ lifecycle: 'deprecated', deprecated_at: '2026-10-01T00:00:00Z', retires_at: '2027-02-01T00:00:00Z' },
    });
  });

  it.each([
    ...[{ limit: '0' }, { limit: '1001' }, { limit: 'x' }, { after_id: 'p/z' }, { before_id: ['p/a'] }],
    { 'lifecycle[]': 'old' },
  ])('refuses %j', (query) => expect(() => idsOf(query)).toThrow(Object.keys(query)[0]?.replace('[]', '')));
});

describe('capabilities of a model', () => {
  const provider = (dialect: string, quirks: object = {}) =>
    providerDefinition.parse({
      id: 'acme',
      name: 'Acme',
      baseUrl: 'https://acme.example',
      apiKeyEnv: [],
      dialect,
      quirks,
    });
  const all = { reasoning: true, structuredOutput: true };
  const told = (
    upstreamModel: string,
    of: ReturnType<typeof provider>,
    more: Partial<Parameters<typeof aModel>[0]> = {},
  ) => {
    const deployments = [{ id: 'one', provider: 'acme', upstreamModel }];
    const written = toAnthropicModel(aModel({ deployments, capabilities: all, ...more }), [of]);
    expect(anthropicModel.strict().parse(written)).toEqual(written);
    return written;
  };
  const types = ({ capabilities }: ReturnType<typeof told>) =>
    Object.entries(capabilities?.thinking.types ?? {}).flatMap(([type, { supported }]) => (supported ? [type] : []));

  it("are those of Claude, where Anthropic's messages pass", () => {
    const anthropic = provider('anthropic-messages', { webSearch: '^claude-' });
    const written = told('claude-opus-4-6', anthropic, {
      inputModalities: ['text', 'image', 'pdf'],
      reasoningEfforts: ['low', 'high'],
    });
    const [yes, no] = [{ supported: true }, { supported: false }];
    expect(written.line).toBe('opus');
    expect(written.capabilities).toMatchObject({
      ...{ batch: no, citations: yes, code_execution: no, image_input: yes, pdf_input: yes, structured_outputs: yes },
      context_management: { supported: true, compact_20260112: null },
      effort: { supported: true, low: yes, medium: no, high: yes, xhigh: no, max: no },
      server_tools: { supported: true, web_search: yes, code_execution: no },
    });
    const thinking = [
      'claude-haiku-4-5',
      'claude-opus-4-6',
      'claude-opus-5',
      'claude-opus-5-5',
      'claude-sonnet-5-5',
    ].map((name) => types(told(name, anthropic)).join(' '));
    expect(thinking).toEqual([
      'adaptive disabled enabled',
      'adaptive disabled enabled',
      'adaptive disabled',
      'adaptive',
      'adaptive between_tools',
    ]);
  });

  it('are what the gateway makes of messages, at every other model', () => {
    const google = provider('gemini');
    const written = told('gemini-3', google);
    expect(written.line).toBeNull();
    expect(written.capabilities).toMatchObject({
      ...{
        citations: { supported: false },
        context_management: { supported: false },
        image_input: { supported: false },
      },
      effort: { supported: false, low: { supported: false }, xhigh: null },
      ...{ server_tools: { supported: false }, structured_outputs: { supported: true } },
    });
    expect(types(written).join(' ')).toBe('adaptive between_tools disabled enabled');
    expect(types(told('gemini-1', google, { capabilities: { ...all, reasoning: false } }))).toEqual(['disabled']);
    expect(types(told('deepseek-v4', provider('anthropic-messages'))).join(' ')).toBe('disabled enabled');
    expect(told('vectors', google, { kind: 'embedding' }).capabilities).toBeNull();
  });
});
