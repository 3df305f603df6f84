import type { ProviderDefinition } from '@tollgate/contracts';
import { targetWith } from '../openai-chat/target.fixture';
import { translationFor } from '../translations';
import { parseRequestJson } from '../wire/request-json';

const body = {
  'openai-chat': { messages: [{ role: 'user', content: 'hi' }] },
  'openai-responses': { input: 'hi' },
} as const;
const dialects = ['openai-chat', 'openai-responses'] as const;
const told = 'the end user became a digest of it: at most 64 characters are taken';
const long = 'u'.repeat(65);

function sent(dialect: (typeof dialects)[number], more: object, quirks: Partial<ProviderDefinition['quirks']>) {
  const source = JSON.stringify({ model: 'a', ...body[dialect], ...more });
  const request = translationFor(dialect, dialect)?.prepare(Buffer.from(source), targetWith(false, quirks), {
    includeUsage: false,
  }).request;
  return { body: parseRequestJson(Buffer.from(request?.body ?? '')), warnings: request?.warnings };
}

describe.each(dialects)('the end user of a native request of %s', (dialect) => {
  const quirks = { longestUser: 64 };

  it('is told by its digest where its name is too long, the same every time', () => {
    const first = sent(dialect, { user: long, safety_identifier: `${long}!` }, quirks);
    expect(first.body).toMatchObject({
      user: expect.stringMatching(/^[0-9a-f]{64}$/),
      safety_identifier: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(first.warnings).toEqual([told]);
    expect(sent(dialect, { safety_identifier: `${long}!`, user: long }, quirks).body).toEqual(first.body);
    expect(sent(dialect, { user: long, safety_identifier: long }, quirks).body).not.toEqual(first.body);
  });

  it.each([{ user: 'u'.repeat(64), safety_identifier: 'ann' }, { user: 7 }, {}])('%j stays', (more) => {
    const { body: kept, warnings } = sent(dialect, more, quirks);
    expect(kept).toMatchObject(more);
    expect(warnings).toEqual([]);
  });

  it('stays where no bound of the provider is known', () => {
    expect(sent(dialect, { user: long }, {}).body).toMatchObject({ user: long });
  });
});
