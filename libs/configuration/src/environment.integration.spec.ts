import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readEnvironment } from './environment';

describe('readEnvironment with mounted secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-environment-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reads X from the file that X_FILE names, without its last line break', () => {
    const file = join(folder, 'pepper');
    writeFileSync(file, 'grains\n');
    const schema = z.object({ PEPPER: z.string() });
    expect(readEnvironment(schema, { PEPPER_FILE: file, PEPPER: 'other' })).toEqual({ PEPPER: 'grains' });
  });
});
