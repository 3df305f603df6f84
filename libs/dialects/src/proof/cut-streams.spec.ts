import type { GenerationSurface, TokenUsage } from '@tollgate/contracts';
import { translationFor } from '../translations';
import { targetOf } from './targets.fixture';

type Wire = 'openai-responses' | 'anthropic-messages';

const asked: Record<Wire, object> = {
  'openai-responses': { model: 'm', input: 'Hi', stream: true },
  'anthropic-messages': { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], stream: true },
};

/** What the gateway knows of a stream of which only these events came. */
function seen(
  surface: GenerationSurface,
  wire: Wire,
  events: readonly object[],
  provider?: string,
): TokenUsage['served'] {
  const target = targetOf(wire, true);
  const at = provider === undefined ? target : { ...target, provider: { ...target.provider, id: provider } };
  const question = surface === 'openai-chat' ? asked['anthropic-messages'] : asked[wire];
  const reader = translationFor(surface, wire)
    ?.prepare(Buffer.from(JSON.stringify(question)), at, { includeUsage: true })
    .answerReader();
  for (const event of events) reader?.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  return reader?.served;
}

const created = (more: object = {}) => ({
  type: 'response.created',
  response: { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [], ...more },
});
const item = (at: number, told: object, isDone = true) => [
  { type: 'response.output_item.added', output_index: at, item: { ...told, status: 'in_progress' } },
  ...(isDone ? [{ type: 'response.output_item.done', output_index: at, item: { ...told, status: 'completed' } }] : []),
];
const search = (at: number, action: string, isDone = true) =>
  item(at, { type: 'web_search_call', id: `ws_${at}`, action: { type: action } }, isDone);

/**
 * https://platform.openai.com/docs/guides/tools-web-search#output-and-citations
 * https://developers.openai.com/api/docs/pricing#built-in-tools
 */
describe('a response that is cut off has', () => {
  const ofOpenai = (...events: object[]) => seen('openai-responses', 'openai-responses', events);

  it('the searches that were told, also one under way, but not the pages that were opened', () => {
    expect(
      ofOpenai(created(), ...search(0, 'search'), ...search(1, 'open_page'), ...search(2, 'search', false)),
    ).toEqual({
      units: { webSearch: 2 },
    });
  });

  it('searches of files, and one session for each container of the size that the tool has', () => {
    const tools = [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } }];
    const code = { type: 'code_interpreter_call', container_id: 'cntr_1', code: '1', outputs: null };
    const events = [...item(0, { type: 'file_search_call', id: 'fs_1' }), ...item(1, { ...code, id: 'ci_1' })];
    expect(ofOpenai(created({ tools }), ...events, ...item(2, { ...code, id: 'ci_2' }, false))).toEqual({
      units: { fileSearch: 1, codeSession4g: 1 },
    });
  });

  it('the tier that it began with', () => {
    expect(ofOpenai(created({ service_tier: 'priority' }))).toEqual({ tier: 'priority' });
    expect(ofOpenai(created({ service_tier: 'auto' }))).toBeUndefined();
  });

  it('no calls of the caller’s own tools, and none before it began', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' };
    expect(ofOpenai(created(), ...item(0, call))).toBeUndefined();
    expect(ofOpenai()).toBeUndefined();
  });

  it('the names that xAI has for its tools', () => {
    const events = [created(), ...search(0, 'search'), ...item(1, { type: 'x_search_call', id: 'xs_1' })];
    expect(seen('openai-responses', 'openai-responses', events, 'xai')).toEqual({
      units: { webSearch: 1, xSearch: 1 },
    });
  });
});

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool#errors */
describe.each<GenerationSurface>(['anthropic-messages', 'openai-chat'])(
  'a message that is cut off on %s has',
  (surface) => {
    const start = {
      type: 'message_start',
      message: { id: 'msg_1', model: 'm', usage: { input_tokens: 7, output_tokens: 1, speed: 'fast' } },
    };
    const block = (index: number, content: object) => [
      { type: 'content_block_start', index, content_block: content },
      { type: 'content_block_stop', index },
    ];
    const call = (index: number, name: string) =>
      block(index, { type: 'server_tool_use', id: `s${index}`, name, input: {} });
    const found = (index: number, content: unknown) =>
      block(index, { type: 'web_search_tool_result', tool_use_id: 's', content });

    it('the calls that were told, but not a search that failed', () => {
      const failed = found(3, { type: 'web_search_tool_result_error', error_code: 'unavailable' });
      const events = [start, ...call(0, 'web_search'), ...found(1, []), ...call(2, 'web_search'), ...failed];
      expect(seen(surface, 'anthropic-messages', events)).toEqual({ units: { webSearch: 1 } });
      expect(
        seen(surface, 'anthropic-messages', [...events, ...call(4, 'web_fetch'), ...call(5, 'bash_code_execution')]),
      ).toEqual({
        units: { webSearch: 1, webFetch: 1, codeExecution: 1 },
      });
    });

    it('nothing where only the caller’s tools and an advisor were called', () => {
      const own = block(1, { type: 'tool_use', id: 't', name: 'web_search', input: {} });
      expect(seen(surface, 'anthropic-messages', [start, ...call(0, 'advisor'), ...own])).toBeUndefined();
    });
  },
);
