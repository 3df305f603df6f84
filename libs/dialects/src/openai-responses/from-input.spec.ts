import type { CanonicalMessage } from '../canonical/generation-request';
import { withResultsInPlace } from './from-input';

const calls = (...ids: string[]): CanonicalMessage => ({
  role: 'assistant',
  parts: ids.map((id) => ({ type: 'tool-call', id, name: 'f', arguments: '{}' })),
});
const result = (toolCallId: string): CanonicalMessage => ({
  role: 'tool',
  parts: [{ type: 'tool-result', toolCallId, content: [] }],
});
const note: CanonicalMessage = { role: 'developer', parts: [{ type: 'text', text: 'A note.' }] };

describe('results of tools', () => {
  it('stay where they stand right behind their calls, in any order, and where nobody called', () => {
    const messages = [result('z'), calls('a', 'b'), result('b'), result('a'), note, calls('a'), result('a')];
    expect(withResultsInPlace(messages)).toBe(messages);
  });

  it('come back to their calls from behind what stands between', () => {
    expect(
      withResultsInPlace([calls('a'), note, calls('b', 'c'), result('c'), note, result('a'), result('b'), result('z')]),
    ).toEqual([calls('a'), result('a'), note, calls('b', 'c'), result('c'), result('b'), note, result('z')]);
  });

  it('belong to the last call of their id', () => {
    expect(withResultsInPlace([calls('a'), result('a'), calls('a'), note, result('a')])).toEqual([
      ...[calls('a'), result('a'), calls('a'), result('a'), note],
    ]);
  });
});
