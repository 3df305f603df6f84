import { mediaWords } from '../media/media-needs';
import { targetWith } from '../openai-chat/target.fixture';
import { translationFor } from '../translations';
import { parseRequestJson } from '../wire/request-json';
import { compacting } from './compaction';

it('pictures are words where a provider compacts the conversation of a model that does not see', () => {
  const translation = translationFor('openai-responses', 'openai-responses');
  const picture = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };
  const input = [{ role: 'user', content: [picture] }];
  const body = Buffer.from(JSON.stringify({ model: 'a', input }));
  const sent = (takes: ('text' | 'image')[]) => {
    const target = targetWith(false, { compacts: true });
    target.model.inputModalities = takes;
    const attempt = translation && compacting(translation).prepare(body, target, { includeUsage: false });
    return { body: parseRequestJson(Buffer.concat(attempt?.request.body ?? [])), told: attempt?.request.warnings };
  };
  expect(sent(['text'])).toMatchObject({
    body: { input: [{ role: 'user', content: [{ type: 'input_text', text: mediaWords.images }] }] },
    told: [expect.stringContaining('images of earlier turns')],
  });
  expect(sent(['text', 'image'])).toMatchObject({ body: { input }, told: [] });
});

it('what is known of an answer is known of the conversation that it compacts', () => {
  const translation = translationFor('openai-responses', 'openai-chat');
  const body = Buffer.from(JSON.stringify({ model: 'a', input: 'hi' }));
  const attempt = translation && compacting(translation).prepare(body, targetWith(false), { includeUsage: false });
  const reader = attempt?.answerReader();
  const chunk = (choice: object): string =>
    `data: ${JSON.stringify({ id: 'gen-1', choices: [{ index: 0, delta: {}, ...choice }] })}\n\n`;
  reader?.push(Buffer.from(chunk({ delta: { content: 'We met.' } })));
  expect(reader).toMatchObject({ state: 'waiting', answerId: 'gen-1' });
  expect(reader?.gatheredBytes).toBeGreaterThan('We met.'.length);
  reader?.push(Buffer.from(chunk({ finish_reason: 'stop' })));
  const pieces = reader?.endInPieces?.() ?? [];
  expect(reader?.state).toBe('complete');
  expect(parseRequestJson(Buffer.concat(pieces))).toMatchObject({ object: 'response.compaction' });
});
