import type { SurfaceName } from '@tollgate/contracts';
import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { targetWith } from '../openai-chat/target.fixture';
import { compacting } from '../openai-responses/compaction';
import type { Translation } from '../provider-dialect';
import { translationFor } from '../translations';
import { parseRequestJson } from '../wire/request-json';

const body = {
  'openai-chat': { messages: [{ role: 'user', content: 'hi' }] },
  'openai-responses': { input: 'hi' },
  'anthropic-messages': { max_tokens: 99, messages: [{ role: 'user', content: 'hi' }] },
} as const;
type Dialect = 'openai-chat' | 'openai-responses';
const dialects: Dialect[] = ['openai-chat', 'openai-responses'];
const told = 'the end user became a digest of it: at most 64 characters are taken';
const toldOfKey = 'prompt_cache_key became a digest of it: at most 64 characters are taken';
const long = 'u'.repeat(65);
const digest: unknown = expect.stringMatching(/^[0-9a-f]{64}$/);
const quirks = { longestName: 64 };

function sent(
  surface: SurfaceName & keyof typeof body,
  dialect: Dialect,
  more: object,
  known: Partial<ProviderDefinition['quirks']> = quirks,
  as = (translation: Translation): Translation => translation,
) {
  const source = JSON.stringify({ model: 'a', ...body[surface], ...more });
  const translation = translationFor(surface, dialect);
  const options = { includeUsage: false };
  const { request } =
    (translation && as(translation).prepare(Buffer.from(source), targetWith(false, known), options)) ?? {};
  return { body: parseRequestJson(Buffer.concat(request?.body ?? [])), warnings: request?.warnings };
}

describe.each(dialects.flatMap((surface) => dialects.map((dialect) => [surface, dialect] as const)))(
  "a caller's names in a request of %s that is sent as %s",
  (surface, dialect) => {
    it('are told by their digests where they are too long, the same every time', () => {
      const names = { user: long, safety_identifier: `${long}!`, prompt_cache_key: `${long}?` };
      const first = sent(surface, dialect, names);
      expect(first.body).toMatchObject({ user: digest, safety_identifier: digest, prompt_cache_key: digest });
      expect(first.warnings?.toSorted()).toEqual([toldOfKey, told]);
      expect(sent(surface, dialect, names).body).toEqual(first.body);
      expect(sent(surface, dialect, { ...names, prompt_cache_key: long }).body).not.toEqual(first.body);
    });

    it.each([
      { user: 'u'.repeat(64), safety_identifier: 'ann', prompt_cache_key: 'k'.repeat(64) },
      { prompt_cache_key: '' },
      {},
    ])('%j stay', (more) => {
      const { body: kept, warnings } = sent(surface, dialect, more);
      expect(kept).toMatchObject(more);
      expect(warnings).toEqual([]);
    });

    it('stay where no bound of the provider is known', () => {
      const more = { safety_identifier: long, prompt_cache_key: long };
      expect(sent(surface, dialect, more, {}).body).toMatchObject(more);
    });
  },
);

it('are told by their digests where OpenAI compacts the conversation, those of its turns', () => {
  const names = { user: long, safety_identifier: `${long}!`, prompt_cache_key: `${long}?` };
  const { body: turn } = sent('openai-responses', 'openai-responses', names);
  const compacts = { ...quirks, compacts: true };
  const compact = sent('openai-responses', 'openai-responses', names, compacts, compacting);
  const { user, safety_identifier, prompt_cache_key } = turn as Record<string, unknown>;
  expect(compact.body).toMatchObject({ input: 'hi', user, safety_identifier, prompt_cache_key });
  expect(compact.warnings?.toSorted()).toEqual([toldOfKey, told]);
});

it.each(dialects)('the end user of a request of messages is told by its digest in %s', (dialect) => {
  const { body: written, warnings } = sent('anthropic-messages', dialect, { metadata: { user_id: long } });
  expect([written, warnings]).toEqual([expect.objectContaining({ user: digest }), expect.arrayContaining([told])]);
});
