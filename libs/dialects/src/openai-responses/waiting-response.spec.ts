import { waitingResponse, warmedEvents } from './waiting-response';

const head = { id: 'resp_1', model: 'openai/gpt-5.4', createdAtS: 1 };
const asked = (more: object, input: unknown = 'Hi') =>
  Buffer.from(JSON.stringify({ model: head.model, input, ...more }));

it('tells what was asked for, without the input', () => {
  expect(waitingResponse(asked({ instructions: 'Be short.' }, ['x'.repeat(2_000_000)]), head)).toMatchObject({
    id: 'resp_1',
    status: 'queued',
    background: true,
    instructions: 'Be short.',
    output: [],
  });
});

it.each([
  ['bytes', { instructions: 'x'.repeat(524_288) }],
  [
    'values',
    { tools: [{ type: 'function', name: 'f', parameters: { enum: Array.from({ length: 16_384 }, () => 0) } }] },
  ],
])('repeats no more %s than can be told again and again on an event loop', (_what, more) => {
  for (const told of [waitingResponse, warmedEvents])
    expect(() => told(asked(more), head)).toThrow(/beside its 'input' at most 524288 bytes and 16384 values/);
});
