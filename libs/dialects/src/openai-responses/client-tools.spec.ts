import { eventsIn } from '../proof/sse-text.fixture';
import { isRecord, recordIn } from '../wire/json-value';
import { fromRequest } from './from-request';
import { answerOf, callBlock, documented, streamed } from './written.fixture';

const tools = [{ type: 'shell', environment: { type: 'local' } }, { type: 'apply_patch' }];
const read = (members: object) => fromRequest({ model: 'm', input: 'Hi', tools, ...members });

/** The items of an answer, which come whole, in a stream as in a document. */
function itemsOf(name: string, given: string, reason: 'tool-calls' | 'length' = 'tool-calls'): unknown {
  const answer = answerOf(callBlock(0, name, given), reason);
  const events = eventsIn(streamed(answer, { tools }));
  const ending = reason === 'length' ? 'incomplete' : 'completed';
  const names = ['created', 'in_progress', 'output_item.added', 'output_item.done', ending];
  expect(events.map((event) => event.name)).toEqual(names.map((each) => `response.${each}`));
  const { json } = events.at(-1) ?? {};
  const { output } = recordIn(isRecord(json) ? json : {}, 'response');
  const { output: whole } = documented(answer, { tools }) as { output: unknown };
  const withoutIds = (items: unknown) => JSON.stringify(items).replaceAll(/"id":"[^"]*"/g, '');
  expect(withoutIds(whole)).toBe(withoutIds(output));
  return output;
}

const action = { commands: ['ls', 'pwd'], timeout_ms: 1_000, max_output_length: null };
const patch = { type: 'update_file', path: 'a.txt', diff: '@@\n-a\n+b' };

describe('tools that OpenAI defines and the client runs', () => {
  it('are functions for models of others, which may be demanded by their type', () => {
    expect(read({}).tools).toMatchObject([{ name: 'shell' }, { name: 'apply_patch' }]);
    expect(read({}).unread).toEqual([]);
    expect(read({ tool_choice: { type: 'shell' } }).toolChoice).toEqual({ type: 'tool', name: 'shell' });
  });

  it('are refused by name where OpenAI runs them', () => {
    const hosted = [{ type: 'shell', environment: { type: 'container_auto' } }];
    expect(() => read({ tools: hosted })).toThrow("'tools[0].environment' must be { type: 'local' }");
  });

  it("are called in OpenAI's own items", () => {
    expect(itemsOf('shell', JSON.stringify({ commands: ['ls', 'pwd'], timeout_ms: 1_000 }))).toEqual([
      {
        id: expect.stringMatching(/^sh_/),
        type: 'shell_call',
        status: 'completed',
        call_id: 'call_0',
        action,
        environment: { type: 'local' },
      },
    ]);
    expect(itemsOf('apply_patch', JSON.stringify(patch))).toEqual([
      {
        id: expect.stringMatching(/^apc_/),
        type: 'apply_patch_call',
        status: 'completed',
        call_id: 'call_0',
        operation: patch,
      },
    ]);
    const gone = { type: 'delete_file', path: 'a.txt' };
    expect(itemsOf('apply_patch', JSON.stringify(gone))).toMatchObject([{ operation: gone }]);
  });

  it('never look whole where they were cut off', () => {
    expect(itemsOf('apply_patch', '{"type":"update_file","pa', 'length')).toMatchObject([{ status: 'in_progress' }]);
    expect(itemsOf('shell', '{"comm', 'length')).toMatchObject([{ status: 'incomplete', action: { commands: [] } }]);
  });

  it('bring back what was called and what came of it', () => {
    const outcome = [{ stdout: 'a.txt\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } }];
    const { messages, unread } = read({
      input: [
        { type: 'shell_call', id: 'sh_1', call_id: 's', action, environment: { type: 'local' }, status: 'completed' },
        { type: 'shell_call_output', call_id: 's', output: outcome, max_output_length: 100 },
        { type: 'apply_patch_call', id: 'apc_1', call_id: 'p', operation: patch, status: 'completed' },
        { type: 'apply_patch_call_output', call_id: 'p', status: 'failed', output: 'no such line' },
      ],
    });
    expect(messages.flatMap(({ parts }) => parts)).toEqual([
      { type: 'tool-call', id: 's', name: 'shell', arguments: JSON.stringify(action) },
      {
        type: 'tool-result',
        toolCallId: 's',
        toolName: 'shell',
        content: [{ type: 'text', text: JSON.stringify(outcome) }],
      },
      { type: 'tool-call', id: 'p', name: 'apply_patch', arguments: JSON.stringify(patch) },
      {
        type: 'tool-result',
        toolCallId: 'p',
        toolName: 'apply_patch',
        content: [{ type: 'text', text: 'no such line' }],
        isError: true,
      },
    ]);
    expect(unread).toEqual([]);
  });
});
