import { dialectName, tokenUsage } from '@tollgate/contracts';
import type { DialectName, GenerationSurface } from '@tollgate/contracts';
import { translationFor } from '@tollgate/dialects';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { aModel, aProvider } from '../testing/fixtures';
import { countTokens } from './usage-record';

const fixture = join(__dirname, '../../../../libs/dialects/src/proof/__fixtures__/invoice.json');
/**
 * Streams that end in the middle, with what is billed of them, by hand; metering's spec charges the same
 * rows. Where a stream had told no input yet, it is the tokenizer's count, which is 2,000 here.
 */
const { rows } = z
  .object({
    rows: z.array(
      z.object({
        name: z.string(),
        model: z.string(),
        wire: dialectName,
        form: z.string(),
        body: z.unknown(),
        usage: tokenUsage,
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(fixture, 'utf8')));
const cut = rows.filter(({ form }) => form === 'cut');
const countedInput = 2_000;

const questions: Partial<Record<DialectName, { surface: GenerationSurface; body: object }>> = {
  'openai-responses': { surface: 'openai-responses', body: { input: 'Hi' } },
  'anthropic-messages': {
    surface: 'anthropic-messages',
    body: { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
  },
};
const chat = { surface: 'openai-chat', body: { messages: [{ role: 'user', content: 'Hi' }] } } as const;

it('has cut streams of four formats', () => {
  expect(new Set(cut.map(({ wire }) => wire)).size).toBeGreaterThanOrEqual(4);
});

it.each(cut.map((row) => [row.name, row] as const))('bills what was told before the cut: %s', (_name, row) => {
  const { wire, body, usage } = row;
  const upstreamModel = row.model.replace(/^[^/]*\//, '');
  const { surface, body: question } = questions[wire] ?? chat;
  const target = { provider: aProvider({ dialect: wire }), model: aModel(), upstreamModel, stream: true };
  const asked = Buffer.from(JSON.stringify({ model: 'm', ...question, stream: true }));
  const reader = translationFor(surface, wire)?.prepare(asked, target, { includeUsage: true }).answerReader() ?? null;
  reader?.push(Buffer.from(String(body)));
  expect(reader?.state).toBe('flowing');
  const evidence = { completed: false, stream: true, requestSent: true, reader, status: 200 };
  expect(countTokens(evidence, () => countedInput)).toEqual({ usage, estimated: true });
});
