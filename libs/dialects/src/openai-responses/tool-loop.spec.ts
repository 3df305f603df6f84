import type { DialectName } from '@tollgate/contracts';
import { AnswerEvents } from '../canonical/answer-events';
import { AnswerCollector } from '../canonical/collect-answer';
import type { ProviderCodec } from '../canonical/codec';
import { fitRequest } from '../canonical/fit-request';
import { answerContext, numberedIds, targetOf } from '../proof/targets.fixture';
import { isRecord } from '../wire/json-value';
import { providerCodecs } from '../translations';
import { openaiResponsesSurfaceCodec } from './surface-codec';

const turns = 5;

/** What Codex sends with every turn. https://github.com/openai/codex */
const settings = {
  model: 'acme/model',
  instructions: 'You are a coding agent.',
  tools: [
    { type: 'function', name: 'shell', strict: false, parameters: { type: 'object', properties: {} } },
    { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
    { type: 'web_search', external_web_access: false },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'conversation-1',
};

/**
 * The turn in which a provider thinks, runs a command and patches a file, with seals of its own where it has
 * them.
 */
const answers: Partial<Record<DialectName, (turn: number) => object>> = {
  'openai-chat': (turn) => ({
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: `say${turn}`,
          reasoning_content: 'Hm.',
          tool_calls: [
            { id: `sh${turn}`, type: 'function', function: { name: 'shell', arguments: '{"command":"ls"}' } },
            { id: `pa${turn}`, type: 'function', function: { name: 'apply_patch', arguments: '{"input":"*** x"}' } },
          ],
        },
      },
    ],
  }),
  'anthropic-messages': (turn) => ({
    stop_reason: 'tool_use',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: `sealed${turn}==` },
      { type: 'text', text: `say${turn}` },
      { type: 'tool_use', id: `sh${turn}`, name: 'shell', input: { command: 'ls' } },
      { type: 'tool_use', id: `pa${turn}`, name: 'apply_patch', input: { input: '*** x' } },
    ],
  }),
  gemini: (turn) => ({
    candidates: [
      {
        finishReason: 'STOP',
        content: {
          parts: [
            { text: 'Hm.', thought: true },
            { text: `say${turn}` },
            {
              functionCall: { id: `sh${turn}`, name: 'shell', args: { command: 'ls' } },
              thoughtSignature: `sealed${turn}==`,
            },
            { functionCall: { id: `pa${turn}`, name: 'apply_patch', args: { input: '*** x' } } },
          ],
        },
      },
    ],
  }),
};

/** One turn of a client: what the provider answers, as the items of the response. */
function itemsOf(provider: ProviderCodec, input: readonly object[], document: object): Record<string, unknown>[] {
  const target = targetOf(provider.name, true);
  const request = openaiResponsesSurfaceCodec.fromRequest({ ...settings, input });
  const fitted = fitRequest(request, provider, target).request;
  const parser = provider.answerParser({ request: fitted, target, newId: numberedIds() });
  const writer = openaiResponsesSurfaceCodec.streamWriter({ ...answerContext(), request: fitted, body: settings });
  const collector = new AnswerCollector();
  let last = '';
  for (const event of new AnswerEvents(parser, 'Acme').document(JSON.stringify(document))) {
    collector.add(event);
    last = writer.write(event);
  }
  const { type, response }: { type: string; response: { output: unknown[] } } = JSON.parse(
    last.slice(last.indexOf('{')),
  );
  expect(type).toBe('response.completed');
  return response.output.filter(isRecord);
}

/** A client sends items back as they came and adds what its tools gave. */
function withResults(items: readonly Record<string, unknown>[]): object[] {
  const results = items.flatMap(({ type, call_id: id }) => {
    if (type === 'function_call') return [{ type: 'function_call_output', call_id: id, output: `ran ${String(id)}` }];
    if (type === 'custom_tool_call')
      return [{ type: 'custom_tool_call_output', call_id: id, output: `patched ${String(id)}` }];
    return [];
  });
  return [...items, ...results];
}

const looped = providerCodecs.flatMap((provider) => {
  const answer = answers[provider.name];
  return answer ? [[provider.name, provider, answer] as const] : [];
});

describe('a tool loop of five turns, as Codex drives it', () => {
  it.each(looped)('goes on with every thought, call and result at %s', (name, provider, answer) => {
    const input: object[] = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it.' }] }];
    for (let turn = 0; turn < turns; turn++) {
      const items = itemsOf(provider, input, answer(turn));
      expect(items.filter(({ type }) => type !== 'reasoning')).toMatchObject([
        { type: 'message', content: [{ text: `say${turn}` }] },
        { type: 'function_call', name: 'shell', arguments: '{"command":"ls"}' },
        { type: 'custom_tool_call', name: 'apply_patch', input: '*** x' },
      ]);
      input.push(...withResults(items));
    }
    const request = openaiResponsesSurfaceCodec.fromRequest({ ...settings, input });
    const target = targetOf(name, true);
    const fitted = fitRequest(request, provider, target);
    const sent = JSON.stringify(provider.toRequest(fitted.request, target).body);
    for (let turn = 0; turn < turns; turn++) {
      const owed = [`say${turn}`, `ran sh${turn}`, `patched pa${turn}`];
      if (name !== 'openai-chat') owed.push(`sealed${turn}==`);
      expect(owed.filter((text) => !sent.includes(text))).toEqual([]);
    }
    expect(fitted.warnings).toContainEqual(expect.stringContaining('tools[2] (web_search) was dropped'));
    expect(fitted.request.unread).toEqual([]);
  });

  it('is tried at three dialects at least', () => {
    expect(looped.length).toBeGreaterThanOrEqual(3);
  });
});
