import { noUsage } from '@tollgate/contracts';
import type { GenerationEvent } from '../canonical/generation-event';
import { emptyRequest } from '../canonical/pass-through';
import { ChunkWriter } from './chunk-writer';

const events: GenerationEvent[] = [
  { type: 'start', id: null, model: null, createdAtS: 1 },
  { type: 'text-start', choice: 0, block: 0 },
  { type: 'text-delta', choice: 0, block: 0, text: 'Hi' },
  { type: 'text-end', choice: 0, block: 0 },
  { type: 'finish', choice: 0, reason: 'stop' },
  { type: 'usage', usage: { ...noUsage, input: 3, output: 2 } },
  { type: 'end' },
];

/** The `usage` of every chunk; 'none': it has no such member. */
function usages(includeUsage: boolean): unknown[] {
  const request = emptyRequest('openai-chat', true);
  const writer = new ChunkWriter({ request, body: {}, model: 'm', includeUsage, newId: () => 'x', nowS: 0 });
  const stream = events.map((event) => writer.write(event)).join('');
  const chunks = stream.split('\n\n').flatMap((event) => (event.startsWith('data: {') ? [event.slice(6)] : []));
  return chunks.map((chunk) => {
    const { usage = 'none' } = JSON.parse(chunk) as { usage?: unknown };
    return usage;
  });
}

it('has a usage of null in all chunks but its own, where the usage was asked for', () => {
  expect(usages(true)).toEqual([null, null, null, expect.objectContaining({ total_tokens: 5 })]);
});

it('has none anywhere where it was not', () => expect(usages(false)).toEqual(['none', 'none', 'none']));
