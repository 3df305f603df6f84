import { facts, printable, table } from './table';

describe('a table', () => {
  it('aligns its columns and ends no line with spaces', () => {
    expect(
      table(
        ['id', 'name'],
        [
          ['1', 'a long name'],
          ['22', 'b'],
        ],
      ),
    ).toBe('ID  NAME\n1   a long name\n22  b');
  });

  it('keeps its header when there are no rows', () => {
    expect(table(['id', 'name'], [])).toBe('ID  NAME');
  });

  it('lets no stored text move the cursor, colour the terminal, add a line or turn the reading direction', () => {
    const hostile = 'evil\u001b[2J\r\nID\u0007\u009b31m\u202e';
    const shown = table(['name'], [[hostile]]) + facts([['name', hostile]]);
    expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(shown).toContain('evil\\u001b[2J\\u000d\\u000aID');
  });

  it('leaves ordinary names of any language as they are', () => {
    for (const name of ["O'Brien", 'Zoë', '東京', 'مرحبا', '🙂']) expect(printable(name)).toBe(name);
  });
});
