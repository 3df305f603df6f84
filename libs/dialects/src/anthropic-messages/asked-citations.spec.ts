import { targetWith } from '../openai-chat/target.fixture';
import { translationFor } from '../translations';

const file_data = 'data:application/pdf;base64,JVBERi0xLjQK';
const citations = { enabled: true };

// Claude cites a document only where that is asked for, by its place in it, which neither dialect can show.
// https://platform.claude.com/docs/en/build-with-claude/citations
it.each([
  [
    'openai-chat',
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_data }, citations }] }] },
    'messages[0].content[0].citations was dropped: not known',
  ],
  [
    'openai-responses',
    { input: [{ role: 'user', content: [{ type: 'input_file', file_data, filename: 'a.pdf', citations }] }] },
    'input[0].content[0].citations was dropped: not known',
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
