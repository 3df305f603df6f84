import fc from 'fast-check';
import type { GenerationSurface } from '@tollgate/contracts';
import { AnswerCollector } from '../canonical/collect-answer';
import type { GenerationEvent } from '../canonical/generation-event';
import { LegalEvents } from '../canonical/legal-events';
import { openaiChatProviderCodec } from '../openai-chat/provider-codec';
import { openaiChatSurfaceCodec } from '../openai-chat/surface-codec';
import { openaiResponsesProviderCodec } from '../openai-responses/provider-codec';
import { openaiResponsesSurfaceCodec } from '../openai-responses/surface-codec';
import { surfaceCodecs } from '../translations';
import { isRecord } from '../wire/json-value';
import { attempt } from './attempt.fixture';
import { cases } from './cases.fixture';
import { wrongBy } from './openai-schemas.fixture';
import { chatBody } from './random-chat-body.fixture';
import { randomEvents } from './random-events.fixture';
import { messagesBody } from './random-messages-body.fixture';
import { responsesBody } from './random-responses-body.fixture';
import { eventsIn } from './sse-text.fixture';
import { answerContext } from './targets.fixture';

const bodies: Record<GenerationSurface, fc.Arbitrary<Record<string, unknown>>> = {
  'openai-chat': chatBody,
  'anthropic-messages': messagesBody,
  'openai-responses': responsesBody,
};

const providers = [
  ['openai-chat', openaiChatProviderCodec, 'CreateChatCompletionRequest'],
  ['openai-responses', openaiResponsesProviderCodec, 'CreateResponse'],
] as const;

/**
 * Earlier answers as the schema has them, which knows only those that OpenAI stored: with an id, a state, and
 * log probabilities. OpenAI says that an input message may hold previous answers too, and its own clients
 * send them without: https://platform.openai.com/docs/api-reference/responses/create#responses_create-input
 */
function asStored(body: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(body.input)) return body;
  const input = (body.input as unknown[]).map((item) => {
    if (!isRecord(item) || item.role !== 'assistant' || !Array.isArray(item.content)) return item;
    const content = (item.content as unknown[]).map((part) =>
      isRecord(part) && part.type === 'output_text' ? { logprobs: [], ...part } : part,
    );
    return { id: 'msg_0', status: 'completed', ...item, content };
  });
  return { ...body, input };
}

describe.each(providers)('what %s gets', (_, provider, schema) => {
  const said = surfaceCodecs.flatMap((surface) =>
    cases.flatMap(({ name, bodies: written }) => {
      const body = written[surface.name];
      return typeof body === 'string' ? [] : [{ name: `${name} of ${surface.name}`, surface, body }];
    }),
  );

  it.each(said)("is legal by OpenAI's own schema: $name", ({ surface, body }) => {
    const { upstream } = attempt(surface, provider, body);
    expect(upstream === null ? null : wrongBy(schema, asStored(upstream.body))).toBeNull();
  });

  it.each(surfaceCodecs.map((surface) => [surface.name, surface] as const))(
    "is legal by OpenAI's own schema, whatever %s asks",
    (name, surface) => {
      fc.assert(
        fc.property(bodies[name], (body) => {
          const { upstream } = attempt(surface, provider, body);
          if (upstream) expect(wrongBy(schema, asStored(upstream.body))).toBeNull();
        }),
        { seed: 20_260_104, numRuns: 150 },
      );
    },
  );
});

function ordered(events: readonly GenerationEvent[]): GenerationEvent[] {
  const legal = new LegalEvents('Acme');
  return events.flatMap((event) => legal.take(event));
}

function collected(events: readonly GenerationEvent[]) {
  const collector = new AnswerCollector();
  for (const event of events) collector.add(event);
  return collector.answer();
}

const runs = { seed: 20_260_105, numRuns: 150 };
const surfaces = [
  ['openai-chat', openaiChatSurfaceCodec, 'CreateChatCompletionStreamResponse', 'CreateChatCompletionResponse'],
  ['openai-responses', openaiResponsesSurfaceCodec, 'ResponseStreamEvent', 'Response'],
] as const;

describe.each(surfaces)('what a caller of %s gets', (_, surface, eventSchema, documentSchema) => {
  it("is legal by OpenAI's own schema, event by event", () => {
    fc.assert(
      fc.property(randomEvents(true), (events) => {
        const writer = surface.streamWriter(answerContext());
        const sse = ordered(events)
          .map((event) => writer.write(event))
          .join('');
        for (const { json } of eventsIn(sse)) if (json !== '[DONE]') expect(wrongBy(eventSchema, json)).toBeNull();
      }),
      runs,
    );
  });

  it("is legal by OpenAI's own schema as a document", () => {
    fc.assert(
      fc.property(randomEvents(true), (events) => {
        const document = surface.toResponse(collected(ordered(events)), answerContext());
        expect(wrongBy(documentSchema, JSON.parse(JSON.stringify(document)))).toBeNull();
      }),
      runs,
    );
  });
});
