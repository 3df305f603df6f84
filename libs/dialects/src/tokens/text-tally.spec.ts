import { EventTally } from '../canonical/event-tally';
import { countTextTokens } from './o200k';
import { OutputTally } from '../openai-chat/delta-reader';
import { foldedText, keptText, TextTally } from './text-tally';

function tally(pieces: readonly string[]): number {
  const text = new TextTally();
  for (const piece of pieces) {
    const bytes = Buffer.from(JSON.stringify(piece).slice(1, -1));
    text.add(bytes, 0, bytes.length);
  }
  return text.tokens();
}

it('counts the text, not its pieces', () => {
  expect(tally(['hel', 'lo wor', 'ld'])).toBe(2);
  expect(tally(['\ud83d', '\ude00'])).toBe(countTextTokens('😀'));
  expect(tally(['a\n', '"b"\t'])).toBe(countTextTokens('a\n"b"\t'));
});

it('counts a long text as it does in one piece, though it forgets it on the way', () => {
  const sentence = 'The river runs through the old town, and "nobody" knows why it turns north — perhaps for joy.\n';
  const text = sentence.repeat(1_500);
  const pieces = text.match(/[^]{1,7}/gu) ?? [];
  expect(tally(pieces)).toBe(countTextTokens(text));
});

it('cuts no escape and no character where a long text has no spaces', () => {
  const text = new TextTally();
  // 😀 as two escapes, a quote as one, and two characters of three bytes.
  const bytes = Buffer.from('\\ud83d\\ude00\\"測試');
  for (let at = 0; at < 10_000; at++) text.add(bytes, 0, bytes.length);
  const exact = countTextTokens('😀"測試'.repeat(10_000));
  expect(Math.abs(text.tokens() - exact)).toBeLessThan(20);
});

it.each([
  ['of words', 'The river runs — for joy, "perhaps", 1999.\n', 0],
  ['without spaces', '測試😀', 8],
])('counts events %s as it does in one piece', (_, sentence, tolerance) => {
  const tally = new EventTally();
  const text = sentence.repeat(Math.ceil(190_000 / sentence.length));
  for (let at = 0; at < text.length; at += 5)
    tally.add({ type: 'text-delta', choice: 0, block: 0, text: text.slice(at, at + 5) });
  expect(Math.abs(tally.tokens() - countTextTokens(text))).toBeLessThanOrEqual(tolerance);
});

it('keeps counting a long text without any spaces', () => {
  const text = '測試'.repeat(30_000);
  const counted = tally(text.match(/[^]{1,9}/gu) ?? []);
  expect(counted).toBeGreaterThan(countTextTokens(text) * 0.95);
  expect(counted).toBeLessThan(countTextTokens(text) * 1.05);
});

it.each([
  ['of words', 'The river runs — for joy, "perhaps", 1999.\\n', 0],
  ['without spaces', 'qxzvw測試😀', 16],
])('counts a text %s in parts when nothing more comes, as it does in one', (_, sentence, tolerance) => {
  const text = sentence.repeat(Math.floor((keptText - 10) / Buffer.byteLength(sentence)));
  const [whole, ofEvents] = [new TextTally(), new EventTally()];
  const bytes = Buffer.from(JSON.stringify(text).slice(1, -1));
  whole.add(bytes, 0, bytes.length);
  ofEvents.add({ type: 'text-delta', choice: 0, block: 0, text });
  const exact = countTextTokens(text);
  for (const tally of [whole, ofEvents]) {
    let parts = 0;
    while (tally.countSome()) parts += 1;
    expect(parts).toBeGreaterThanOrEqual(Math.floor(text.length / foldedText));
    expect(Math.abs(tally.tokens() - exact)).toBeLessThanOrEqual(tolerance);
    expect(tally.countSome()).toBeFalsy();
  }
});

it('counts many short texts together in one part', () => {
  const [ofEvents, ofChunks] = [new EventTally(), new OutputTally()];
  const bytes = Buffer.from('A few words. ');
  for (let block = 0; block < 250; block++) {
    ofEvents.add({ type: 'text-delta', choice: 0, block, text: bytes.toString() });
    ofChunks.add(0, block, bytes, 0, bytes.length);
  }
  for (const tally of [ofEvents, ofChunks]) {
    const before = tally.tokens();
    expect([tally.countSome(), tally.countSome()]).toEqual([true, false]);
    expect(tally.tokens()).toBe(before);
  }
});
