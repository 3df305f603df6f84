import { dialectNames } from '@tollgate/contracts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

describe('the files of the dialects', () => {
  it('are small: none has more than 400 lines', () => {
    const linesOf = (file: string) => readFileSync(join(__dirname, file), 'utf8').split('\n').length;
    expect(files.filter((file) => linesOf(file) > 400)).toEqual([]);
  });

  it('are a folder for every dialect that providers speak, with its codec', () => {
    for (const dialect of dialectNames) expect(files).toContain(join(dialect, 'provider-codec.ts'));
  });

  it('know nothing of each other’s writers: only the list of translations joins a caller’s dialect with a provider’s', () => {
    const joins = files.filter((file) => {
      const text = readFileSync(join(__dirname, file), 'utf8');
      return /\/surface-codec'/.test(text) && /\/provider-codec'/.test(text) && !/\.(spec|fixture)\.ts$/.test(file);
    });
    expect(joins.filter((file) => !file.endsWith('translation.ts'))).toEqual(['translations.ts']);
  });
});
