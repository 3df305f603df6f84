import { z } from 'zod';
import { EnvironmentError, readEnvironment } from './environment';

const schema = z.object({
  NATS_URL: z.string({ error: 'is required' }),
  PORT: z.coerce.number().int().max(65_535).default(8080),
});

describe('readEnvironment', () => {
  it('parses values and fills in defaults', () => {
    expect(readEnvironment(schema, { NATS_URL: 'nats://a:4222', OTHER: 'x' })).toEqual({
      NATS_URL: 'nats://a:4222',
      PORT: 8080,
    });
  });

  it('takes an empty variable for an absent one', () => {
    expect(readEnvironment(schema, { NATS_URL: 'nats://a:4222', PORT: '' }).PORT).toBe(8080);
  });

  it('names every variable at fault at once, and where to look', () => {
    const read = () => readEnvironment(schema, { PORT: '99999' });
    expect(read).toThrow(EnvironmentError);
    expect(read).toThrow(/NATS_URL: is required[\s\S]*PORT: [\s\S]*\.env\.example/);
  });

  it('does not repeat a value in its message: it may be a secret', () => {
    const secret = z.object({ KEY: z.string().regex(/^[a-z]+$/) });
    expect(() => readEnvironment(secret, { KEY: 'S3CRET!' })).toThrow(/^(?![\s\S]*S3CRET)[\s\S]*KEY: /);
  });
});
