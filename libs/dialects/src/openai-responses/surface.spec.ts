import { GatewayError } from '@tollgate/contracts';
import { countTextTokens } from '../tokens/o200k';
import { openaiResponsesSurface } from './surface';
import { answerOf, callBlock, streamed, textBlock } from './written.fixture';

const base = { model: 'm', input: 'Hi' };

function read(members: object, bodyBytes = 1_000) {
  return openaiResponsesSurface.readRequest({ ...base, ...members }, bodyBytes);
}

describe('the responses surface', () => {
  it('reads what edge must know', () => {
    const format = { type: 'json_schema', name: 'n', schema: {} };
    expect(
      read({ stream: true, max_output_tokens: 50, tools: [{ type: 'custom', name: 'f' }], text: { format } }),
    ).toEqual({
      model: 'm',
      stream: true,
      state: {
        keeps: true,
        background: false,
        completionWindow: null,
        previousId: null,
        conversationId: null,
        references: [],
        warmsUp: false,
      },
      includeUsage: false,
      maxOutputTokens: 50,
      inputTokensEstimate: 1_000,
      mediaTokens: 0,
      needs: ['tools', 'structured output'],
    });
  });

  it('takes a limit for one of an answer, and not of a summary, of which half is none', () => {
    const input = [{ role: 'user', content: 'hi' }, { type: 'compaction_trigger' }];
    expect(read({ input, max_output_tokens: 50 }).maxOutputTokens).toBeNull();
  });

  it('finds media in messages and in results, and counts them by estimate and not by their data', () => {
    const image = { type: 'input_image', image_url: 'A'.repeat(4_000) };
    const file = { type: 'input_file', file_id: 'file-1' };
    const input = [
      { role: 'user', content: [file] },
      { type: 'function_call_output', call_id: 'c', output: [image] },
    ];
    const request = read({ input }, 5_000);
    expect(request.needs).toEqual([]);
    expect(request.media).toEqual([
      { need: 'files', parts: 1, tokens: 0, isAsked: false },
      { need: 'images', parts: 1, tokens: 765, isAsked: false },
    ]);
    expect(read({ input: input.slice(0, 1) }).needs).toEqual(['files']);
    expect(request.inputTokensEstimate).toBeLessThan(3_000);
  });

  it.each([
    ['model', { model: '' }],
    ['model', { model: 7 }],
    ['input', { input: undefined }],
    ['input', { input: [] }],
    ['input', { input: {} }],
    ['input[0]', { input: ['x'] }],
    ['temperature', { temperature: 2.1 }],
    ['temperature', { temperature: '1' }],
    ['top_p', { top_p: 1.1 }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['max_output_tokens', { max_output_tokens: 1.5 }],
    ['stream', { stream: 'yes' }],
    ['instructions', { instructions: 5 }],
    ['tools', { tools: {} }],
    ['text', { text: 'x' }],
    ['reasoning', { reasoning: 'high' }],
    ['metadata', { metadata: [] }],
    ['conversation', { conversation: '' }],
    ['conversation', { conversation: { name: 'conv_1' } }],
    ['conversation', { conversation: 'conv_1', previous_response_id: 'resp_1' }],
    ['previous_response_id', { previous_response_id: 5 }],
    ['store', { store: 'no' }],
    ['background_options', { background: true, background_options: '8h' }],
    ['background_options.completion_window', { background: true, background_options: { completion_window: 8 } }],
  ])('answers 400 naming %s', (name, members) => {
    expect(() => read(members)).toThrow(`'${name}'`);
  });

  it('needs no input where the conversation is kept, and tells what is to be kept', () => {
    const reference = { type: 'item_reference', id: 'msg_1' };
    expect(read({ input: undefined, previous_response_id: 'resp_1' }).state?.previousId).toBe('resp_1');
    expect(read({ input: [reference], store: false }).state).toEqual({
      keeps: false,
      background: false,
      completionWindow: null,
      previousId: null,
      conversationId: null,
      references: ['msg_1'],
      warmsUp: false,
    });
    expect(read({ input: [], generate: false }).state?.warmsUp).toBe(true);
    for (const conversation of ['conv_1', { id: 'conv_1' }])
      expect(read({ input: undefined, conversation }).state?.conversationId).toBe('conv_1');
  });

  it.each([[null], [[]], ['x']])('answers 400 to the body %j', (body) => {
    expect(() => openaiResponsesSurface.readRequest(body, 4)).toThrow(GatewayError);
  });

  it('takes null for absent', () => {
    const nulls = { temperature: null, top_p: null, max_output_tokens: null, stream: null, tools: null, text: null };
    expect(read(nulls)).toEqual(read({}));
  });

  it('ends a broken stream with an error event in the shape of the documentation, which holds the error of every endpoint too', () => {
    const text = Buffer.from(openaiResponsesSurface.streamError(new GatewayError(504, 'too late'))).toString();
    expect(text).toMatch(/^event: error\ndata: [^\n]+\n\n$/);
    expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual({
      type: 'error',
      sequence_number: expect.any(Number),
      code: 'timeout_error',
      message: 'too late',
      param: null,
      error: { message: 'too late', type: 'timeout_error', code: '504' },
    });
  });

  it('counts the tokens of instructions, items and tools', () => {
    const text = 'a longer text of several words';
    const tools = [{ type: 'function', name: 'f', description: text }];
    const input = [
      { role: 'user', content: [{ type: 'input_text', text }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: text },
      { type: 'function_call_output', call_id: 'c', output: text },
    ];
    const counted = openaiResponsesSurface.countInputTokens({ instructions: text, input, tools });
    expect(counted).toBeGreaterThanOrEqual(5 * countTextTokens(text));
    expect(counted).toBeLessThan(5 * countTextTokens(text) + 50);
    expect(openaiResponsesSurface.countInputTokens([])).toBe(0);
  });

  it('counts what a caller of a stream was sent, however its bytes were cut', () => {
    const text = 'an answer of several words';
    const bytes = Buffer.from(streamed(answerOf([...textBlock(0, text), ...callBlock(1, 'f', '{"a":1}')])));
    const whole = openaiResponsesSurface.transcript();
    whole.push(bytes);
    const pieces = openaiResponsesSurface.transcript();
    for (let at = 0; at < bytes.length; at += 7) pieces.push(bytes.subarray(at, at + 7));
    expect(whole.outputTokens()).toBeGreaterThanOrEqual(countTextTokens(text));
    expect(pieces.outputTokens()).toBe(whole.outputTokens());
  });
});
