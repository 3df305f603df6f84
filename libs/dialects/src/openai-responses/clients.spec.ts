import { createOpenAI } from '@ai-sdk/openai';
import { GatewayError } from '@tollgate/contracts';
import OpenAI from 'openai';
import type { GenerationEvent } from '../canonical/generation-event';
import { openaiResponsesSurface } from './surface';
import { answerOf, callBlock, documented, streamed, textBlock } from './written.fixture';

const thought: GenerationEvent[] = [
  { type: 'reasoning-start', choice: 0, block: 0 },
  { type: 'reasoning-delta', choice: 0, block: 0, text: 'Hm.' },
];
const weather = {
  type: 'function',
  name: 'weather',
  strict: true,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const;
const said = [...thought, ...textBlock(1, 'Hel', 'lo'), ...callBlock(2, 'weather', '{"city":', '"Oslo"}')];

/** A fetch that answers every request with this text. */
function answering(text: string, contentType = 'text/event-stream'): typeof fetch {
  return () => Promise.resolve(new Response(text, { headers: { 'content-type': contentType } }));
}

function openai(text: string, contentType?: string): OpenAI {
  return new OpenAI({ apiKey: 'k', maxRetries: 0, fetch: answering(text, contentType) });
}

async function readAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}

function brokenOff(): string {
  const whole = streamed(answerOf(said, 'tool-calls'));
  const begun = whole.slice(0, whole.indexOf('event: response.output_text.done'));
  return begun + Buffer.from(openaiResponsesSurface.streamError(new GatewayError(502, 'acme answered 500'))).toString();
}

describe("OpenAI's client", () => {
  it('passes over the charge in a stream, which it would end at an event of a type that it does not know', async () => {
    const cost = openaiResponsesSurface.costEvent({ amount: '0.00003', isUnconfirmed: false }, null);
    expect(Buffer.from(cost).toString()).toContain('"x_tollgate_cost":"0.00003"');
    const [begun, end] = streamed(answerOf(said, 'tool-calls')).split('event: response.completed');
    const text = `${begun}${Buffer.from(cost).toString()}event: response.completed${end}`;
    const response = await openai(text).responses.stream({ model: 'm', input: 'x' }).finalResponse();
    expect(response.output_text).toBe('Hello');
  });

  it('builds the response from a stream, with parsed calls', async () => {
    const seen: string[] = [];
    const stream = openai(streamed(answerOf(said, 'tool-calls'))).responses.stream({
      model: 'm',
      input: 'x',
      tools: [weather],
    });
    stream.on('response.output_text.delta', ({ snapshot }) => seen.push(snapshot));
    const response = await stream.finalResponse();
    expect(seen).toEqual(['Hel', 'Hello']);
    expect(response.output_text).toBe('Hello');
    expect(response.output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'message' },
      { type: 'function_call', call_id: 'call_2', parsed_arguments: { city: 'Oslo' } },
    ]);
    expect(response.usage?.total_tokens).toBe(140);
  });

  it('reads a whole response', async () => {
    const text = JSON.stringify(documented(answerOf(said, 'tool-calls')));
    const response = await openai(text, 'application/json').responses.create({ model: 'm', input: 'x' });
    expect([response.output_text, response.status]).toEqual(['Hello', 'completed']);
  });

  it('takes an answer that was cut off for incomplete, and parses nothing of it', async () => {
    const cut = answerOf(callBlock(0, 'weather', '{"ci'), 'length');
    const stream = openai(streamed(cut)).responses.stream({ model: 'm', input: 'x', tools: [weather] });
    const { status, incomplete_details: details, output } = await stream.finalResponse();
    expect([status, details]).toEqual(['incomplete', { reason: 'max_output_tokens' }]);
    expect(output).toMatchObject([{ status: 'incomplete', parsed_arguments: null }]);
  });

  it('fails where a stream broke off', async () => {
    const helper = openai(brokenOff()).responses.stream({ model: 'm', input: 'x' });
    await expect(helper.finalResponse()).rejects.toThrow('acme answered 500');
    const plain = await openai(brokenOff()).responses.create({ model: 'm', input: 'x', stream: true });
    await expect(readAll(plain)).rejects.toThrow('acme answered 500');
  });
});

describe("Vercel's client", () => {
  /** The parts that the client makes of a stream. */
  async function partsOf(text: string): Promise<object[]> {
    const model = createOpenAI({ apiKey: 'k', fetch: answering(text) }).responses('gpt-5');
    const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] });
    return readAll(stream);
  }

  it('reads text, reasoning, calls and usage', async () => {
    const parts = await partsOf(streamed(answerOf(said, 'tool-calls')));
    expect(parts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'reasoning-delta', delta: 'Hm.' }),
        expect.objectContaining({ type: 'text-delta', delta: 'Hel' }),
        expect.objectContaining({ type: 'tool-call', toolName: 'weather', input: '{"city":"Oslo"}' }),
      ]),
    );
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'tool-calls' } });
  });

  it('reads what broke off as the error it was', async () => {
    const errors = (await partsOf(brokenOff())).filter((part) => JSON.stringify(part).includes('"type":"error"'));
    expect(JSON.stringify(errors)).toContain('acme answered 500');
    expect(JSON.stringify(errors)).not.toContain('validation');
  });
});
