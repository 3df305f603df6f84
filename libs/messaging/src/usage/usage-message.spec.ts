import { anEvent } from '../testing/generation-fixtures';
import { readUsageMessage } from './usage-message';

describe('reading a usage message', () => {
  it('keeps the events that can be read and says why others cannot', () => {
    const body = Buffer.from(JSON.stringify([anEvent('a'), { id: 'b' }, anEvent('c'), null]));
    const { events, problems } = readUsageMessage(body);
    expect(events.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^Event 1: requestId: [ -~]*; keyId: [ -~]*$/);
  });

  it.each(['', '{}', '\u0000', '"text"', '[', '\u{1f600}'])('says of %j that it is no list', (text) => {
    expect(readUsageMessage(Buffer.from(text))).toEqual({ events: [], problems: ['The body is not a JSON array.'] });
  });
});
