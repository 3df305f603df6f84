import { anEvent } from '../../testing/generation-fixtures';
import { forgetLine, unfinishedEvents } from './usage-journal';

const line = (id: string, output = 1) => JSON.stringify(anEvent(id, output));

describe('the lines of a journal of usage', () => {
  it('hold the last note of each event that was not forgotten', () => {
    const lines = [line('a'), line('b'), forgetLine('a'), line('c', 0), line('c', 7), ''];
    expect(unfinishedEvents(lines.join('\n'))).toEqual([anEvent('b'), anEvent('c', 7)]);
  });

  it('are read up to any byte at which their writer died', () => {
    const text = `${line('a')}\n${line('b')}\n${forgetLine('a')}\n`;
    for (let end = 0; end <= text.length; end++) {
      const ids = unfinishedEvents(text.slice(0, end)).map(({ id }) => id);
      const first = end < line('a').length ? [] : ['a'];
      if (end < 2 * line('a').length + 1) expect(ids).toEqual(first);
      else if (end < text.length - 1) expect(ids).toEqual(['a', 'b']);
      else expect(ids).toEqual(['b']);
    }
  });
});
