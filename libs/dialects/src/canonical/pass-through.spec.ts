import type { DialectName } from '@tollgate/contracts';
import { targetOf } from '../proof/targets.fixture';
import { translationFor } from '../translations';

const picture = `data:image/png;base64,${'A'.repeat(200_000)}`;
const asked = (content: object) => ({ model: 'm', max_tokens: 5, messages: [{ role: 'user', content: [content] }] });
const bodies: [DialectName & ('openai-chat' | 'openai-responses' | 'anthropic-messages'), object][] = [
  ['openai-chat', asked({ type: 'image_url', image_url: { url: picture } })],
  ['anthropic-messages', asked({ type: 'text', text: picture })],
  [
    'openai-responses',
    {
      model: 'm',
      input: [
        { role: 'user', content: [{ type: 'input_image', image_url: picture }] },
        // Of the gateway's own: its id goes.
        { type: 'message', id: `msg_${'0'.repeat(32)}`, role: 'assistant', content: 'Yes.' },
      ],
    },
  ],
];

it.each(bodies)('a picture that passes in %s is not copied', (dialect, asks) => {
  const body = Uint8Array.from(Buffer.from(JSON.stringify(asks)));
  const prepared = translationFor(dialect, dialect)?.prepare(body, targetOf(dialect, false), { includeUsage: false });
  const pieces = prepared?.request.body ?? [];
  const copied = pieces.filter(({ buffer }) => buffer !== body.buffer);
  expect(Buffer.concat(pieces).includes(picture)).toBe(true);
  expect(copied.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(1_000);
});
