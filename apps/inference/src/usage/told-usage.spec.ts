import { dialectName, noUsage, type SurfaceName } from '@tollgate/contracts';
import { translationFor } from '@tollgate/dialects';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { aModel, aProvider } from '../testing/fixtures';
import { countTokens } from './usage-record';
import { toldUsage } from './told-usage';

const fixture = join(__dirname, '../../../../libs/dialects/src/proof/__fixtures__/invoice.json');
/** Answers of all wires, with what their providers tell of tokens. */
const { rows } = z
  .object({ rows: z.array(z.object({ wire: dialectName, model: z.string(), form: z.string(), body: z.unknown() })) })
  .parse(JSON.parse(readFileSync(fixture, 'utf8')));
const forms = ['document', 'stream', 'vectors'];
const ways = [...new Map(rows.map((row) => [`${row.wire}, ${row.form}`, row] as const))].filter(([, { form }]) =>
  forms.includes(form),
);
const counted = 2_000;

/** Each count of tokens of an answer, raised to `told`. */
function raised(body: unknown, told: string): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return text.replace(/("\w*(?:[tT]okens|TokenCount)":\s*)[1-9]\d*/g, `$1${told}`);
}

function read({ wire, form, model }: (typeof rows)[number], answer: string) {
  const stream = form === 'stream';
  const upstreamModel = model.replace(/^[^/]*\//, '');
  const surface: SurfaceName = form === 'vectors' ? 'openai-embeddings' : 'openai-chat';
  const asked = form === 'vectors' ? { input: 'Hi' } : { messages: [{ role: 'user', content: 'Hi' }], stream };
  const target = { provider: aProvider({ dialect: wire }), model: aModel(), upstreamModel, stream };
  const body = Buffer.from(JSON.stringify({ model: 'm', ...asked }));
  const reader = translationFor(surface, wire)?.prepare(body, target, { includeUsage: true }).answerReader() ?? null;
  reader?.push(Buffer.from(answer));
  reader?.end();
  expect(reader?.state).toBe('complete');
  return reader;
}

it('knows answers of every wire', () => {
  expect(new Set(ways.map(([, { wire }]) => wire))).toEqual(new Set(dialectName.options));
});

describe.each(ways)('of %s', (_name, row) => {
  it.each(['1000000001', '9007199254740991', '1e300'])('is not believed with %s tokens: they are counted', (told) => {
    const reader = read(row, raised(row.body, told));
    const evidence = { completed: true, stream: row.form === 'stream', requestSent: true, reader, status: 200 };
    const { usage, estimated } = countTokens(evidence, () => counted);
    expect({ ...usage, estimated }).toMatchObject({ input: counted, cachedInput: 0, estimated: true });
    expect(usage.output).toBeLessThan(100);
  });

  it('is believed with what a model can take', () => {
    const reader = read(row, raised(row.body, '10000000'));
    expect(toldUsage(reader)).toBe(reader?.usage);
  });
});

it('nor is what such an answer tells beside its usage', () => {
  const row = rows.find(({ wire, form }) => wire === 'openai-responses' && form === 'document');
  if (!row) throw new Error('no answer of this wire');
  const image = { tool_usage: { image_gen: { input_tokens: 9, output_tokens: 9 } } };
  const tools = [{ type: 'image_generation', model: 'gpt-image-1' }];
  const body = { ...z.record(z.string(), z.unknown()).parse(row.body), ...image, tools };
  const count = (answer: string) => {
    const reader = read(row, answer);
    return countTokens({ completed: true, stream: false, requestSent: true, reader, status: 200 }, () => counted);
  };
  expect(count(JSON.stringify(body)).usage.served?.units).toMatchObject({ 'gpt-image-1 image output': 9 });
  for (const told of ['1000000001', '1e300']) {
    const { usage, estimated } = count(raised(body, told));
    expect({ input: usage.input, estimated }).toEqual({ input: counted, estimated: true });
    expect(Object.values(usage.served?.units ?? {}).filter((uses) => uses > 1_000_000_000)).toEqual([]);
  }
});

it.each([{ webSearch: 1_000_000_001 }, { webSearch: 1e300 }])('is not believed with %j', (units) => {
  expect(toldUsage({ usage: { ...noUsage, input: 1, served: { units } } })).toBeNull();
  expect(toldUsage({ usage: { ...noUsage, input: 1, served: { units: { webSearch: 1_000 } } } })).not.toBeNull();
});
