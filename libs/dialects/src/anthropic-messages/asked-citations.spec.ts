import { targetWith } from '../openai-chat/target.fixture';
import { translationFor } from '../translations';

const file_data = 'data:application/pdf;base64,JVBERi0xLjQK';
const citations = { enabled: true };
const uncited = "documents are cited only in Anthropic's messages, by a model that is served in them";

// Claude cites a document only where that is asked for, by its place in it, which neither dialect can show.
// https://platform.claude.com/docs/en/build-with-claude/citations
it.each([
  [
    'openai-chat',
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_data }, citations }] }] },
    `messages[0].content[0].citations was dropped: ${uncited}`,
  ],
  [
    'openai-responses',
    { input: [{ role: 'user', content: [{ type: 'input_file', file_data, filename: 'a.pdf', citations }] }] },
    `input[0].content[0].citations was dropped: ${uncited}`,
  ],
] as const)('a caller of %s is told that Claude is not asked to cite a document', (surface, asked, told) => {
  const target = targetWith(false);
  target.model.inputModalities.push('pdf');
  const body = Buffer.from(JSON.stringify({ model: 'a', ...asked }));
  const request = translationFor(surface, 'anthropic-messages')?.prepare(body, target, { includeUsage: false }).request;
  const sent = Buffer.concat(request?.body ?? []).toString();
  expect(sent).toContain('"type":"document"');
  expect(sent).not.toContain('citations');
  expect(request?.warnings).toEqual([told]);
});

describe('a document of messages, at a model of another dialect', () => {
  const source = { type: 'text', media_type: 'text/plain', data: 'the sky is blue' };
  function warned(...content: object[]) {
    const body = Buffer.from(JSON.stringify({ model: 'a', max_tokens: 9, messages: [{ role: 'user', content }] }));
    return translationFor('anthropic-messages', 'openai-chat')?.prepare(body, targetWith(false), {
      includeUsage: false,
    }).request.warnings;
  }

  it('is not cited, for a reason, whatever else is not known', () => {
    const found = { type: 'search_result', source: 'a', title: 'b', content: [{ type: 'text', text: 'c' }], citations };
    expect(warned({ type: 'document', source, citations, zz: 1 }, found)).toEqual([
      `messages[0].content[0].citations, messages[0].content[1].citations were dropped: ${uncited}`,
      'messages[0].content[0].zz was dropped: not known',
    ]);
  });

  it('that is not to be cited is not', () =>
    expect(warned({ type: 'document', source, citations: { enabled: false } })).toEqual([]));
});
