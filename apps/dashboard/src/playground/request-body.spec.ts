import { answerCost } from './answer-cost';
import { exampleTools, noSetup, problemOf, requestBody } from './request-body';
import { newAnswer } from './turns';
import type { Turn } from './turns';

const asked: Turn = { kind: 'user', text: 'Hi', images: [] };

describe('the body of a request', () => {
  it('has only what was set', () =>
    expect(JSON.parse(JSON.stringify(requestBody('a/b', noSetup, [asked])))).toEqual({
      model: 'a/b',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    }));

  it('has the system prompt, parameters, tools, images, and what tools answered', () => {
    const setup = {
      ...noSetup,
      system: 'Be brief.',
      temperature: '0.2',
      topP: '',
      maxTokens: '64',
      tools: exampleTools,
    };
    const call = { id: 'c1', name: 'get_weather', args: '{"place":"Bonn"}' };
    const body = requestBody('a/b', setup, [
      { kind: 'user', text: 'See', images: ['data:image/png;base64,AA'] },
      { kind: 'user', text: '', images: [], files: [{ name: 'a.wav', url: 'data:audio/wav;base64,BB' }] },
      { ...newAnswer('a/b'), toolCalls: [call], state: 'done' },
      { kind: 'tool', results: [{ id: 'c1', content: 'rain' }] },
      newAnswer('a/b'),
    ]);
    expect(body).toMatchObject({ temperature: 0.2, top_p: undefined, max_tokens: 64, tools: [{ type: 'function' }] });
    expect(body['messages']).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
        ],
      },
      { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'BB', format: 'wav' } }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"place":"Bonn"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'rain' },
    ]);
  });

  it('has the schema of the answer, and whatever else was written', () =>
    expect(
      requestBody('a/b', { ...noSetup, schema: '{"type":"object"}', more: '{"seed":7,"temperature":1}' }, [asked]),
    ).toMatchObject({
      ...{ seed: 7, temperature: 1, stream: true },
      response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
    }));

  it.each([
    [{ temperature: '3' }, /temperature/],
    [{ topP: 'x' }, /Top p/],
    [{ maxTokens: '1.5' }, /output limit/],
    [{ tools: '{' }, /no valid JSON/],
    [{ tools: '{}' }, /must be a JSON array/],
    [{ schema: '[]' }, /schema of the answer must be a JSON object/],
    [{ more: '{"a"' }, /further parameters/],
  ])('is refused in words: %j', (changes, problem) => expect(problemOf({ ...noSetup, ...changes })).toMatch(problem));
});

describe('the cost of an answer', () => {
  const measure = { ...newAnswer('a/b').measure, inputTokens: 1_000, cachedTokens: 400, outputTokens: 10 };

  it('charges cached tokens at their own rate', () =>
    expect(answerCost(measure, { input: '2.00', output: '8.00', cachedInput: '0.50' })).toBe(
      String(600 * 2_000 + 400 * 500 + 10 * 8_000),
    ));

  it('is not known without prices or counts', () => {
    expect(answerCost(measure, null)).toBeNull();
    expect(answerCost({ ...measure, outputTokens: null }, { input: '2', output: '8' })).toBeNull();
  });
});
