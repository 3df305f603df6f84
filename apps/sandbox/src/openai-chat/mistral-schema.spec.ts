import { openaiChatSurface } from '@tollgate/dialects/surface';
import { Refusal } from '../request/refusal';
import { writeChatError } from './chat-error';
import { readChat } from './read-chat';

type Json = Record<string, unknown>;

const hello = { role: 'user', content: 'hi' };
const said = { role: 'assistant', content: 'a' };
const call = { id: 'dnEN4JsJy', type: 'function', function: { name: 'f', arguments: '{}' } };
const result = { role: 'tool', tool_call_id: 'dnEN4JsJy', name: 'f', content: 'r' };

/** The status and the body of a refusal; null: it is none. */
function refused(more: Json, model = 'mistral-small-2603'): { status: number; body: unknown } | null {
  try {
    readChat({ model, messages: [hello], ...more }, { provider: '' });
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status = 400, type = null, param = null, code = null, more: beside = null } = error.details;
    const reply = { status, message: error.message, type, param, code, more: beside, key: '', retryAfterS: null };
    return { status, body: JSON.parse(writeChatError(reply).body) as unknown };
  }
}

const forbidden = (loc: (string | number)[], input: unknown) => ({
  type: 'extra_forbidden',
  loc: ['body', ...loc],
  msg: 'Extra inputs are not permitted',
  input,
});

// https://github.com/Gitlawb/openclaude/issues/739 https://github.com/zeroclaw-labs/zeroclaw/issues/2693
describe("Mistral's closed schema", () => {
  it.each<[string, Json, object[]]>([
    [
      'a name of the user',
      { messages: [{ ...hello, name: 'Ada' }] },
      [forbidden(['messages', 0, 'user', 'name'], 'Ada')],
    ],
    [
      'what an answer left empty',
      { messages: [hello, { ...said, refusal: null, annotations: [] }, hello] },
      [
        forbidden(['messages', 1, 'assistant', 'refusal'], null),
        forbidden(['messages', 1, 'assistant', 'annotations'], []),
      ],
    ],
    [
      'more of a call than it knows',
      { messages: [hello, { role: 'assistant', tool_calls: [{ ...call, name: null }] }, result] },
      [forbidden(['messages', 1, 'assistant', 'tool_calls', 0, 'name'], null)],
    ],
    [
      "what OpenAI's client for JavaScript adds to its answers",
      {
        messages: [
          hello,
          { ...said, parsed: null, tool_calls: [{ ...call, function: { ...call.function, parsed_arguments: null } }] },
          result,
        ],
      },
      [
        forbidden(['messages', 1, 'assistant', 'parsed'], null),
        forbidden(['messages', 1, 'assistant', 'tool_calls', 0, 'function', 'parsed_arguments'], null),
      ],
    ],
    [
      'a mark for the cache',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', cache_control: {} }] }] },
      [forbidden(['messages', 0, 'user', 'content', 0, 'cache_control'], {})],
    ],
    ['what is null, as what is not', { logprobs: null }, [forbidden(['logprobs'], null)]],
    [
      'all faults at once',
      { seed: 1, temperature: 2 },
      [
        forbidden(['seed'], 1),
        {
          type: 'less_than_equal',
          loc: ['body', 'temperature'],
          msg: 'Input should be less than or equal to 1.5',
          input: 2,
          ctx: { le: 1.5 },
        },
      ],
    ],
  ])('refuses %s, and lists where', (_what, more, detail) => {
    expect(refused(more)).toEqual({ status: 422, body: { detail } });
  });

  it('takes what its own clients send', () => {
    expect(refused({ messages: [hello, { ...said, tool_calls: [{ ...call, index: 0 }] }, result] })).toBeNull();
    expect(refused({ messages: [hello, { ...said, prefix: true }], random_seed: 1 })).toBeNull();
  });

  // https://github.com/BerriAI/litellm/issues/17761
  it('tells other faults in an error that no object surrounds', () => {
    expect(refused({ messages: [hello, said, { role: 'system', content: 'x' }, hello] })).toEqual({
      status: 400,
      body: {
        object: 'error',
        message: "Unexpected role 'system' after role 'assistant'",
        type: 'invalid_request_message_order',
        param: null,
        code: '3230',
        raw_status_code: 400,
      },
    });
    const emptied = { role: 'assistant', content: null };
    expect(refused({ messages: [hello, emptied, hello] })).toEqual({
      status: 400,
      body: {
        object: 'error',
        message: 'Assistant message must have either content or tool_calls, but not none.',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    });
  });
});

// https://github.com/mistralai/client-python (docs/models/chatcompletionrequest.md)
it('a prompt of Mistral and the limit of its answer fit into the context together', () => {
  expect(refused({ max_tokens: 1_048_000 }, 'mistral-large-4')).toBeNull();
  expect(refused({ max_tokens: 1_048_576 }, 'mistral-large-4')).toMatchObject({
    status: 400,
    body: { code: '3051', message: expect.stringContaining('too large for model with 1048576 maximum context length') },
  });
});

it('a prompt of Mistral has more tokens than the gateway counts, by less than the margin that it leaves', () => {
  const messages = [{ role: 'user', content: 'hello world '.repeat(2_000) }];
  const counted = openaiChatSurface.countInputTokens({ messages });
  const left = 1_048_576 - counted;
  expect(refused({ messages, max_tokens: left }, 'mistral-large-4')).toMatchObject({ body: { code: '3051' } });
  expect(refused({ messages, max_tokens: left - Math.floor(counted / 8) }, 'mistral-large-4')).toBeNull();
});
