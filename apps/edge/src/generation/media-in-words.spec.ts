import { openaiChatSurface } from '@tollgate/dialects/surface';
import { model } from '../testing/catalog-fixture';
import { countedInWords, fewerTokens, holdsSeen } from './media-in-words';

const blind = model('acme/blind', { inputModalities: ['text'] });
const able = model('acme/able', { inputModalities: ['text', 'image', 'pdf'] });

const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4_000)}` } };
const said = { role: 'assistant', content: 'A gate.' };
const hello = { role: 'user', content: 'Hello' };

function read(messages: object[]) {
  const body = { model: 'm', messages };
  return openaiChatSurface.readRequest(body, JSON.stringify(body).length);
}

/** The same with the words that a model gets. */
const worded = { type: 'text', text: '[An image was here. This model cannot see images.]' };

describe('what a request is counted as', () => {
  const before = read([{ role: 'user', content: [image, image] }, said, hello]);

  it('is that of the words where no place sees, and of the pictures where one does', () => {
    const counted = countedInWords(before, [blind]);
    expect(counted.mediaTokens).toBeGreaterThan(0);
    expect(counted.mediaTokens).toBeLessThan(50);
    expect(before.inputTokensEstimate - counted.inputTokensEstimate).toBe(before.mediaTokens - counted.mediaTokens);
    expect(countedInWords(before, [blind, able])).toBe(before);
    expect([holdsSeen(before, [blind]), holdsSeen(before, [blind, able])]).toEqual([false, true]);
  });

  it('agrees with the tokens of what is sent', () => {
    const withImages = openaiChatSurface.countInputTokens({ messages: [{ role: 'user', content: [image, image] }] });
    const sent = openaiChatSurface.countInputTokens({ messages: [{ role: 'user', content: [worded, worded] }] });
    expect(withImages - fewerTokens(before, [blind])).toBe(sent);
  });

  it('is that of a picture in what is asked now, and of a text as ever', () => {
    const asked = read([{ role: 'user', content: [image] }]);
    expect([asked.needs, countedInWords(asked, [blind])]).toEqual([['images'], asked]);
    const plain = read([hello]);
    expect(countedInWords(plain, [blind])).toBe(plain);
    expect(holdsSeen(plain, [able])).toBe(false);
  });
});
