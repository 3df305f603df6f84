import { isRecord, readRecord } from '../request/record';
import { checkBlock } from './check-block';

const largest = 5_242_880;

/** Checks an image of so many characters of Base64 as it comes in a request, behind a small one. */
function checkImage(characters: number): void {
  const image = (length: number) => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(length) },
  });
  const body = Buffer.from(JSON.stringify({ small: image(200_000), large: image(characters) }));
  for (const block of Object.values(readRecord(body))) if (isRecord(block)) checkBlock(block, 'user', 'here', false);
}

it('refuses an image that is too large, of whose data the middle is left out before it is parsed', () => {
  expect(() => checkImage(largest)).not.toThrow();
  expect(() => checkImage(largest + 4)).toThrow(
    `here.image.source.base64: image exceeds 5 MB maximum: ${largest + 4} bytes > ${largest} bytes`,
  );
});

it.each([
  ['image/jpeg', '/9j/4AAQSkZJRgABAQAA', true],
  ['image/png', '/9j/4AAQSkZJRgABAQAA', false],
  ['image/webp', 'UklGRiQAAABXRUJQVlA4IBgA', true],
  ['image/gif', 'UklGRiQAAABXRUJQVlA4IBgA', false],
  ['image/gif', 'AAAA', true],
])('takes an image for what it is told to be only where it is: %s, %s', (type, data, isTaken) => {
  const image = { type: 'image', source: { type: 'base64', media_type: type, data } };
  const check = () => checkBlock(image, 'user', 'here', false);
  if (isTaken) expect(check).not.toThrow();
  else expect(check).toThrow(`The image was specified using the ${type} media type, but`);
});

it("takes a call as Anthropic's client for Python writes it anew", () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {}, caller: null, toolset_name: null };
  expect(() => checkBlock(call, 'assistant', 'here', false)).not.toThrow();
});
