import type { SurfaceName } from '@tollgate/contracts';
import { targetOf } from '../proof/targets.fixture';
import { translationFor } from '../translations';
import { urlCitation } from './url-citation';

const source = { type: 'web_search_result_location', url: 'https://a.example', title: 'A', cited_text: 'Its words.' };
const blocks = [
  { type: 'text', text: 'It is known: ' },
  { type: 'text', text: 'gates open.', citations: [source] },
];
const cited = { url: 'https://a.example', title: 'A', content: 'Its words.' };

function events(): string {
  const told = blocks.flatMap(({ text, citations = [] }, index) => [
    { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
    // A source may come before the last words of its text.
    ...citations.map((citation) => ({
      type: 'content_block_delta',
      index,
      delta: { type: 'citations_delta', citation },
    })),
    { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index },
  ]);
  const all = [
    { type: 'message_start', message: { id: 'm', model: 'c', usage: { input_tokens: 1, output_tokens: 1 } } },
    ...told,
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ];
  return all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function answer(surface: SurfaceName, stream: boolean): string {
  const body = { model: 'm', stream, max_tokens: 9, input: 'x', messages: [{ role: 'user', content: 'x' }] };
  const prepared = translationFor(surface, 'anthropic-messages')?.prepare(
    Buffer.from(JSON.stringify(body)),
    targetOf('anthropic-messages', stream),
    { includeUsage: false },
  );
  const reader = prepared?.answerReader();
  const document = { type: 'message', id: 'm', model: 'c', content: blocks, stop_reason: 'end_turn', usage: {} };
  const bytes = Buffer.from(stream ? events() : JSON.stringify(document));
  return Buffer.concat([reader?.push(bytes) ?? bytes, reader?.end() ?? bytes]).toString();
}

describe('a source of an answer', () => {
  it.each([false, true])('keeps its place and its own words on chat completions (stream: %s)', (stream) => {
    const place = { start_index: 13, end_index: 24 };
    const annotation = {
      type: 'url_citation',
      url_citation: { url: cited.url, title: cited.title, ...place, content: cited.content },
    };
    expect(answer('openai-chat', stream)).toContain(`"annotations":[${JSON.stringify(annotation)}]`);
  });

  it.each([false, true])('keeps them on responses, where each text has a part of its own (stream: %s)', (stream) => {
    const place = { start_index: 0, end_index: 11 };
    const annotation = { type: 'url_citation', url: cited.url, title: cited.title, ...place, content: cited.content };
    expect(answer('openai-responses', stream)).toContain(`"annotations":[${JSON.stringify(annotation)}]`);
  });

  it('stays where its own provider has placed it', () => {
    const original = { type: 'url_citation', url: cited.url, title: 'A', start_index: 2, end_index: 5 };
    const told = { dialect: 'openai-responses' as const, url: cited.url, title: 'A', original };
    expect(urlCitation(told, { start: 10, end: 40 })).toEqual({
      url: cited.url,
      title: 'A',
      start_index: 12,
      end_index: 15,
    });
    expect(urlCitation({ ...told, url: null }, { start: 0, end: 1 })).toBeNull();
  });
});
