import fc from 'fast-check';
import type { AnswerBlock } from '../canonical/answer';
import { AnswerCollector } from '../canonical/collect-answer';
import type { MessagePart } from '../canonical/generation-request';
import { LegalEvents } from '../canonical/legal-events';
import { isRecord } from '../wire/json-value';
import { surfaceCodecs } from '../translations';
import { nextTurn } from './echo.fixture';
import { randomEvents } from './random-events.fixture';
import { answerContext } from './targets.fixture';

/**
 * What a provider must get back of its own answer, or a tool loop breaks: what was sealed, and which tools
 * were called.
 */
function owed(parts: readonly (AnswerBlock | MessagePart)[]): object {
  return {
    seals: parts.flatMap((part) => (part.type === 'reasoning' && part.seal ? [part.seal] : [])),
    sealedTexts: parts.flatMap((part) =>
      part.type === 'reasoning' && part.seal?.kind === 'signature' ? [part.text] : [],
    ),
    calls: parts.flatMap((part) =>
      part.type === 'tool-call'
        ? [
            [
              part.id,
              part.name,
              part.arguments === '' ? {} : (JSON.parse(part.arguments) as unknown),
              part.signature ?? null,
            ],
          ]
        : [],
    ),
    text: parts.flatMap((part) => (part.type === 'text' || part.type === 'refusal' ? [part.text] : [])).join(''),
  };
}

/** Chat completions join what was said, and what was refused stands behind it. */
function asChat(parts: readonly (AnswerBlock | MessagePart)[]): readonly (AnswerBlock | MessagePart)[] {
  return [...parts.filter(({ type }) => type !== 'refusal'), ...parts.filter(({ type }) => type === 'refusal')];
}

it.each(surfaceCodecs.map((surface) => [surface.name, surface] as const))(
  'an answer that a client of %s sends back with its next turn holds the seals, calls and texts of every provider',
  (_, surface) => {
    fc.assert(
      fc.property(randomEvents(false), (events) => {
        const legal = new LegalEvents('Acme');
        const collector = new AnswerCollector();
        for (const event of events.flatMap((each) => legal.take(each))) collector.add(event);
        const answer = collector.answer();
        const response: unknown = JSON.parse(JSON.stringify(surface.toResponse(answer, answerContext())));
        const body = nextTurn(surface.name, isRecord(response) ? response : {});
        const request = surface.fromRequest(body);
        const back = request.messages.filter(({ role }) => role === 'assistant').flatMap(({ parts }) => parts);
        const given = answer.choices[0]?.blocks ?? [];
        expect(owed(back)).toEqual(owed(surface.name === 'openai-chat' ? asChat(given) : given));
        // Sources of a text mean nothing to other models, and the caller is told so.
        expect(request.unread.filter((path) => !path.endsWith('.citations'))).toEqual([]);
      }),
      { seed: 20_260_102, numRuns: 500 },
    );
  },
);
