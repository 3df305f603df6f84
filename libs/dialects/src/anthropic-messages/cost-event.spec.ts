import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { streamText } from 'ai';
import { anthropicMessagesSurface } from './surface';

// It says on the console which limit it takes for a model that it does not know.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const usage = { input_tokens: 3, output_tokens: 1 };
const cost = Buffer.from(
  anthropicMessagesSurface.costEvent({ amount: '0.00003', isUnconfirmed: false }, null),
).toString();

/** A whole stream with its charge where edge puts it: in front of the last event. */
const stream =
  [
    {
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage, stop_reason: null },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('') +
  cost +
  'event: message_stop\ndata: {"type":"message_stop"}\n\n';

const fetch = () => Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));

describe('the charge in a stream of messages', () => {
  it("is told, and passed over by Anthropic's client", async () => {
    expect(cost).toContain('"x_tollgate_cost":"0.00003"');
    const client = new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 });
    const message = await client.messages
      .stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] })
      .finalMessage();
    expect(message).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: 'Hi' }] });
  });

  it('is passed over by the AI SDK, which takes no event of another type', async () => {
    const errors: unknown[] = [];
    const { text, finishReason } = streamText({
      model: createAnthropic({ apiKey: 'none', fetch })('m'),
      prompt: 'Hello',
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    });
    expect(await text).toBe('Hi');
    expect(errors).toEqual([]);
    expect(await finishReason).toBe('stop');
  });
});
