import { model } from '../testing/catalog-fixture';
import { sizeOfBoth, wantsContinuation } from './continuation-wish';

const chat = { name: 'openai-chat' } as const;
const plain = model('acme/one');
const set = { ...plain, continueBrokenStreams: true };

describe('wantsContinuation', () => {
  it.each([
    ['what the operator set', {}, set, chat, true, true],
    ['nothing, unless somebody asks', {}, plain, chat, true, false],
    ['a caller who asks', { 'x-tollgate-continue': 'on' }, plain, chat, true, true],
    ['a caller who would rather see it fail', { 'x-tollgate-continue': 'off' }, set, chat, true, false],
    ['nothing that is no stream', {}, set, chat, false, false],
    ['nothing that is no conversation', {}, set, { name: 'openai-embeddings' } as const, true, false],
  ])('heeds %s', (_what, headers, asked, surface, stream, wanted) => {
    expect(wantsContinuation(headers, asked, surface, stream)).toBe(wanted);
  });

  it('refuses another word', () => {
    expect(() => wantsContinuation({ 'x-tollgate-continue': 'yes' }, plain, chat, true)).toThrow('must be on or off');
  });
});

describe('sizeOfBoth', () => {
  it('has room for the input twice, and the output once more as input', () => {
    expect(sizeOfBoth({ input: 1_000, output: 500 })).toBeGreaterThanOrEqual(2 * 1_000 + 2 * 500);
  });
});
