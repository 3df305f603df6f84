import type OpenAI from 'openai';
import type { TestStack } from '../test-stack';
import { accountClient } from './account-client';

/** Of three dialects of providers: the first speaks responses itself. */
const models = ['openai/gpt-5.4-mini', 'anthropic/claude-sonnet-4-5', 'google/gemini-3.8-flash'];
const question = 'The word is heliotrope. Remember it.';
const message = (text: string) => ({
  type: 'message' as const,
  role: 'user' as const,
  content: [{ type: 'input_text' as const, text }],
});

let openai: OpenAI;
let stranger: OpenAI;

export function conversations(shared: () => TestStack): void {
  beforeAll(async () => {
    openai = await accountClient(shared(), 'conversing');
    stranger = await accountClient(shared(), 'overhearing');
  });

  it.each(models)('%s adds to a conversation what it is asked and says, and so do others', async (model) => {
    const { id } = await openai.conversations.create({ metadata: { model }, items: [message(question)] });
    const answers: OpenAI.Responses.Response[] = [];
    for (const [turn, other] of [model, ...models].entries()) {
      const asked = { model: other, conversation: id, input: `And ${turn}?`, store: turn !== 1 };
      const alone = await openai.responses.inputTokens.count({ model: other, input: asked.input });
      const whole = await openai.responses.inputTokens.count({ model: other, conversation: id, input: asked.input });
      expect(whole.input_tokens).toBeGreaterThan(alone.input_tokens);
      const next =
        turn % 2 === 0 ? await openai.responses.stream(asked).finalResponse() : await openai.responses.create(asked);
      expect(next).toMatchObject({ status: 'completed', conversation: { id }, store: asked.store });
      // What went before is paid for as input, as its provider counts it.
      expect(next.usage?.input_tokens).toBeGreaterThan(alone.input_tokens + 8);
      answers.push(next);
    }
    const items = [];
    for await (const item of openai.conversations.items.list(id, { order: 'asc', limit: 3 })) items.push(item);
    const said = items.map((item) => JSON.stringify(item));
    const expected = [question, ...answers.flatMap((answer, turn) => [`And ${turn}?`, answer.output_text])];
    const places = expected.map((text) => said.findIndex((one) => one.includes(JSON.stringify(text).slice(1, -1))));
    expect(places).not.toContain(-1);
    expect(places[0]).toBe(0);
    expect(new Set(items.map((item) => item.id)).size).toBe(items.length);
    const texts = items.flatMap((item) =>
      item.type === 'message' ? item.content.map((part) => 'text' in part && part.text) : [],
    );
    expect(texts).toEqual(expected);
  });

  it.each(models)('%s goes on in a conversation with its calls of tools and its reasoning', async (model) => {
    const { id } = await openai.conversations.create();
    const tools: OpenAI.Responses.Tool[] = [
      {
        type: 'function',
        name: 'get_weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
        strict: false,
      },
    ];
    const asked = { model, tools, conversation: id, reasoning: { effort: 'low' as const } };
    const first = await openai.responses.create({ ...asked, input: 'get_weather please' });
    const call = first.output.find((item) => item.type === 'function_call');
    const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'rain' };
    expect((await openai.responses.create({ ...asked, input: [output] })).status).toBe('completed');
    await openai.conversations.items.create(id, { items: [message('And now?')] });
    expect((await openai.responses.create(asked)).status).toBe('completed');
  });

  it('belongs to its account alone, is what its responses are gone on from by, and is gone when it is removed', async () => {
    const [model = ''] = models;
    const { id } = await openai.conversations.create();
    const response = await openai.responses.create({ model, conversation: id, input: question });
    const notFound = { status: 404, error: { message: `Conversation with id '${id}' not found.` } };
    await expect(stranger.responses.create({ model, conversation: id, input: 'x' })).rejects.toMatchObject(notFound);
    await expect(stranger.conversations.items.list(id)).rejects.toMatchObject(notFound);
    expect(await openai.responses.retrieve(response.id)).toMatchObject({ id: response.id, conversation: { id } });
    await expect(
      openai.responses.create({ model, previous_response_id: response.id, input: 'x' }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining(id) });
    await openai.conversations.delete(id);
    await expect(openai.responses.create({ model, conversation: id, input: 'x' })).rejects.toMatchObject(notFound);
  });
}
