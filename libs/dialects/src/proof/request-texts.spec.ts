import fc from 'fast-check';
import type { CanonicalRequest, MessagePart } from '../canonical/generation-request';
import type { SurfaceCodec } from '../canonical/codec';
import { surfaceCodecs } from '../translations';
import { mapRequestTexts, mapTextsIn } from '../wire/request-texts';
import { chatBody } from './random-chat-body.fixture';
import { messagesBody } from './random-messages-body.fixture';
import { responsesBody } from './random-responses-body.fixture';

const bodies = { 'openai-chat': chatBody, 'anthropic-messages': messagesBody, 'openai-responses': responsesBody };
const mark = '\u00a4';

/** The texts that a model is to read, as the codec of the surface finds them. */
function textsOf(request: CanonicalRequest): string[] {
  const ofPart = (part: MessagePart): string[] => {
    if (part.type === 'text' || part.type === 'refusal') return [part.text];
    if (part.type === 'tool-result')
      return part.content.flatMap((inner) => (inner.type === 'text' ? [inner.text] : []));
    return [];
  };
  const descriptions = (request.tools ?? []).flatMap(({ description }) => description ?? []);
  return [...request.messages.flatMap(({ parts }) => parts.flatMap(ofPart)), ...descriptions].filter((text) => text);
}

function read(surface: SurfaceCodec, body: unknown): CanonicalRequest | null {
  try {
    return surface.fromRequest(body as Record<string, unknown>);
  } catch {
    return null;
  }
}

describe.each(surfaceCodecs.map((surface) => [surface.name, surface] as const))('a request of %s', (name, surface) => {
  it('has no text for a model that the map does not see, and stays a request', () => {
    let seen = 0;
    fc.assert(
      fc.property(bodies[name], (body) => {
        const before = read(surface, body);
        if (!before) return;
        const after = read(
          surface,
          mapRequestTexts(body, (text) => mark + text),
        );
        if (!after) throw new Error('the mapped request is none');
        expect(textsOf(after).filter((text) => !text.includes(mark))).toEqual([]);
        expect(textsOf(after).length).toBeGreaterThanOrEqual(textsOf(before).length);
        seen += textsOf(after).length;
      }),
      { seed: 20_260_101, numRuns: 500 },
    );
    expect(seen).toBeGreaterThan(500);
  }, 60_000);

  it('is the same object when no text changes', () => {
    fc.assert(fc.property(bodies[name], (body) => expect(mapRequestTexts(body, (text) => text)).toBe(body)));
  });
});

it.each([
  ['{"a":"x","b":[1,"x"],"c":{"x":"x"}}', '{"a":"y","b":[1,"y"],"c":{"x":"y"}}'],
  ['{"n":4}', '{"n":"four"}'],
  ['{"a": 1}', '{"a": 1}'],
  ['broken x {', 'broken y {'],
  ['', ''],
])('arguments %s stay JSON where they are', (json, mapped) => {
  expect(mapTextsIn(json, (text) => text.replaceAll('x', 'y').replace('4', 'four'))).toBe(mapped);
});

it('media, seals and words of the format stay as they are, and plain documents do not', () => {
  const body = {
    model: 'x',
    messages: [
      { role: 'x', content: [{ type: 'image', source: { type: 'base64', media_type: 'x', data: 'x' } }] },
      { role: 'x', content: [{ type: 'document', source: { type: 'text', media_type: 'x', data: 'x' } }] },
      { role: 'x', content: [{ type: 'thinking', thinking: 'x', signature: 'x' }] },
      { role: 'x', content: [{ type: 'image_url', image_url: { url: 'data:x' } }, { text: 'x' }] },
    ],
    something_new: ['x'],
    metadata: { name: 'x' },
    tools: [{ type: 'tool_use', input: { type: 'x', nested: [{ id: 'x' }] } }],
  };
  const changed: string[] = [];
  mapRequestTexts(body, (text) => (changed.push(text), 'y'));
  expect(changed).toEqual(['x', 'x', 'x', 'x', 'x', 'x']);
});
