import type OpenAI from 'openai';
import type { TestStack } from '../test-stack';
import { accountClient } from './account-client';

/** Of three dialects of providers: the first speaks responses itself. */
const models = ['openai/gpt-5.4-mini', 'anthropic/claude-sonnet-4-5', 'google/gemini-3.8-flash'];
const question = 'The word is heliotrope. Remember it.';

let openai: OpenAI;
let stranger: OpenAI;

export function storedResponses(shared: () => TestStack): void {
  beforeAll(async () => {
    openai = await accountClient(shared(), 'stored');
    stranger = await accountClient(shared(), 'stranger');
  });

  it.each(models)('%s goes on, streamed and not, from what it and others said', async (model) => {
    const first = await openai.responses.create({ model, input: question });
    expect(first).toMatchObject({ store: true, previous_response_id: null });
    let previous = first;
    for (const [turn, other] of [model, ...models].entries()) {
      const asked = { model: other, previous_response_id: previous.id, input: `And ${turn}?` };
      const alone = await openai.responses.inputTokens.count({ model: other, input: asked.input });
      const next =
        turn % 2 === 0 ? await openai.responses.stream(asked).finalResponse() : await openai.responses.create(asked);
      expect(next).toMatchObject({ status: 'completed', previous_response_id: previous.id, store: true });
      // What went before is paid for as input, as its provider counts it.
      expect(next.usage?.input_tokens).toBeGreaterThan(alone.input_tokens + 8);
      expect(await openai.responses.retrieve(next.id)).toMatchObject({ id: next.id, output_text: next.output_text });
      previous = next;
    }
    const items = [];
    for await (const item of openai.responses.inputItems.list(previous.id, { order: 'asc', limit: 3 }))
      items.push(item);
    expect(items[0]).toMatchObject({ role: 'user', content: [{ type: 'input_text', text: question }] });
    const texts = JSON.stringify(items);
    for (const text of [question, first.output_text, 'And 0?', 'And 3?'])
      expect(texts).toContain(JSON.stringify(text).slice(1, -1));
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
    await openai.responses.delete(first.id);
    await expect(openai.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
    await expect(
      openai.responses.create({ model, previous_response_id: previous.id, input: 'x' }),
    ).resolves.toBeDefined();
  });

  it.each(models)('%s goes on with its calls of tools and its reasoning', async (model) => {
    const tools: OpenAI.Responses.Tool[] = [
      {
        type: 'function',
        name: 'get_weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
        strict: false,
      },
    ];
    const asked = { model, tools, reasoning: { effort: 'low' as const } };
    const first = await openai.responses.create({ ...asked, input: 'get_weather please' });
    const call = first.output.find((item) => item.type === 'function_call');
    const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'rain' };
    const next = await openai.responses.create({ ...asked, previous_response_id: first.id, input: [output] });
    expect(next.status).toBe('completed');
    // As the AI SDK names what it had before.
    const reference = { type: 'item_reference' as const, id: call?.id ?? '' };
    const referred = await openai.responses.create({
      ...asked,
      input: [{ role: 'user', content: 'get_weather please' }, reference, output],
    });
    expect(referred.status).toBe('completed');
  });

  it('belong to their account alone, and nothing is kept of what says so', async () => {
    const [model = ''] = models;
    const { id } = await openai.responses.create({ model, input: question });
    const unkept = await openai.responses.create({ model, input: question, store: false });
    expect(unkept).toMatchObject({ store: false });
    await expect(openai.responses.retrieve(unkept.id)).rejects.toMatchObject({ status: 404 });
    const refusals = await Promise.all(
      [id, unkept.id].map((previous) =>
        stranger.responses
          .create({ model, previous_response_id: previous, input: 'x' })
          .catch((error: unknown) => error),
      ),
    );
    for (const [index, named] of [id, unkept.id].entries())
      expect(refusals[index]).toMatchObject({
        status: 400,
        error: { message: `Previous response with id '${named}' not found.` },
      });
    await expect(stranger.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(stranger.responses.delete(id)).rejects.toMatchObject({ status: 404 });
  });
}
