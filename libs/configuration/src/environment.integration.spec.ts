import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { EnvironmentError, readEnvironment } from './environment';
import { natsCredentials } from './nats-credentials';

describe('readEnvironment with mounted secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-environment-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reads X from the file that X_FILE names, without its last line break', () => {
    const file = join(folder, 'pepper');
    writeFileSync(file, 'grains\n');
    const schema = z.object({ PEPPER: z.string() });
    expect(readEnvironment(schema, { PEPPER_FILE: file, PEPPER: 'other' })).toEqual({ PEPPER: 'grains' });
  });

  it('names the variable whose file is not there, instead of going on with another value', () => {
    const schema = z.object({ PEPPER: z.string().optional() });
    const read = () => readEnvironment(schema, { PEPPER_FILE: join(folder, 'missing'), PEPPER: 'other' });
    expect(read).toThrow(EnvironmentError);
    expect(read).toThrow(/PEPPER_FILE: .*missing/);
  });

  it('names at once what is wrong and what cannot be read', () => {
    const schema = z.object({ PEPPER: z.string(), PORT: z.coerce.number() });
    const read = () => readEnvironment(schema, { PEPPER_FILE: join(folder, 'missing'), PORT: 'x' });
    expect(read).toThrow(/PEPPER_FILE: .*missing.*\n.*PORT: /);
    expect(read).not.toThrow(/PEPPER: /);
  });

  it('takes every credential of NATS from a file', () => {
    const names = Object.keys(natsCredentials).filter((name) => !name.endsWith('_FILE'));
    const environment = Object.fromEntries(
      names.map((name) => {
        const file = join(folder, name);
        writeFileSync(file, `${name} in a file\n`);
        return [`${name}_FILE`, file];
      }),
    );
    expect(readEnvironment(z.object(natsCredentials), environment)).toMatchObject(
      Object.fromEntries(names.map((name) => [name, `${name} in a file`])),
    );
  });
});
