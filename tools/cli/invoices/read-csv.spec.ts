import fc from 'fast-check';
import { readCsv } from './read-csv';

/** As RFC 4180 writes a cell. */
const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', 'é'), maxLength: 6 });
/** A row without anything in it is an empty line. */
const row = fc.array(cell, { minLength: 1, maxLength: 4 }).filter((cells) => cells.some((each) => each !== ''));

it('reads whatever cells hold, and knows the line on which each row begins', () => {
  fc.assert(
    fc.property(fc.array(row), fc.constantFrom('\n', '\r\n'), fc.boolean(), (rows, end, hasEmptyLines) => {
      const between = hasEmptyLines ? end + end : end;
      const text = rows.map((cells) => cells.map(quoted).join(',')).join(between);
      const read = readCsv(`\ufeff${text}`);
      expect(read.map(({ cells }) => cells)).toEqual(rows);
      let line = 1;
      for (const [at, cells] of rows.entries()) {
        expect(read[at]?.line).toBe(line);
        line += cells.join('').split('\n').length - 1 + between.split('\n').length - 1;
      }
    }),
  );
});

it('leaves what is not quoted as it is', () => {
  expect(readCsv('a, b ,c\n1,,"x"\n').map(({ cells }) => cells)).toEqual([
    ['a', ' b ', 'c'],
    ['1', '', 'x'],
  ]);
});
