import type { MessagingLink } from '../messaging-link';
import { partBytes, partEnvelopeBytes, roomBytes } from './kept-message';
import { sealBytes } from './turn-cipher';

const mebibyte = 1_048_576;
/** Base64 of what does not compress becomes so much of itself. */
const inGzip = 0.755;
const inBase64 = (bytes: number) => Math.ceil(bytes / 3) * 4;
const linkTo = (max_payload: number) => ({ connection: { info: { max_payload } } }) as MessagingLink;

it.each([8, 1, 0.5, 0.0625])(
  'puts two parts into a message, of a mebibyte at most, where NATS takes %d MiB',
  (mebibytes) => {
    const link = linkTo(mebibytes * mebibyte);
    const inMessage = inBase64(partBytes(link) + sealBytes) * 0.75 + partEnvelopeBytes;
    expect(roomBytes(link)).toBeGreaterThanOrEqual(2 * inMessage);
    expect(inBase64(roomBytes(link))).toBeLessThan(Math.min(mebibytes, 1) * mebibyte);
  },
);

it.each([
  [6, 7],
  [32, 35],
])('brings what does not compress, %d MiB of it in Base64, in %d messages', (mebibytes, messages) => {
  const link = linkTo(8 * mebibyte);
  const parts = Math.ceil((mebibytes * mebibyte * inGzip) / partBytes(link));
  const inMessage = Math.floor(roomBytes(link) / (partBytes(link) + sealBytes));
  expect(Math.ceil(parts / inMessage)).toBe(messages);
});
