import { AnswerEvents } from '../canonical/answer-events';
import { streamPieces } from '../canonical/answer-pieces';
import type { GenerationEvent } from '../canonical/generation-event';
import { geminiProviderCodec } from './provider-codec';
import { aRequest } from '../builders.fixture';
import { geminiTarget } from './target.fixture';

const chunks = [
  '{"candidates":[{"content":{"parts":[{"text":"Hm…","thought":true}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":9}}',
  '{"candidates":[{"content":{"parts":[{"text":"Grüße 😀"}],"role":"model"},"index":0}]}',
  '{"candidates":[{"content":{"parts":[{"functionCall":{"id":"c1","name":"f","args":{"stadt":"Köln"}},"thoughtSignature":"c2ln"}]},"index":0}]}',
  '{"candidates":[{"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4,"thoughtsTokenCount":2}}',
];

function read(pieces: readonly Uint8Array[]): GenerationEvent[] {
  const parser = geminiProviderCodec.answerParser({ request: aRequest(), target: geminiTarget(), newId: () => 'new' });
  const reader = streamPieces(geminiProviderCodec.framing, new AnswerEvents(parser, 'Google'));
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

describe('the bytes of a stream of Gemini', () => {
  it.each([
    ['\r\n', ''],
    ['\n', ''],
    ['\n', '\ufeff: comment\n\n'],
  ])('give the same events whichever way they are split, with line ends %j after %j', (lineEnd, before) => {
    const bytes = Buffer.from(before + chunks.map((chunk) => `data: ${chunk}${lineEnd}${lineEnd}`).join(''));
    const expected = read([bytes]);
    expect(expected.at(-1)).toEqual({ type: 'end' });
    expect(expected.filter(({ type }) => type === 'tool-call-end')).toHaveLength(1);
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(expected);
    }
  });

  it('are a failure wherever they stop before the finish', () => {
    const bytes = Buffer.from(chunks.map((chunk) => `data: ${chunk}\n\n`).join(''));
    const finish = bytes.indexOf('"STOP"');
    for (let cut = 0; cut < finish; cut += 7) {
      expect(read([bytes.subarray(0, cut)]).at(-1)).toMatchObject({ type: 'error', error: { fault: 'retryable' } });
    }
  });
});
