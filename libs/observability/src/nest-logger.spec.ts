import { createLogger } from './logger';
import { toNestLogger } from './nest-logger';

/** What Nest's calls become. */
function written(use: (nest: ReturnType<typeof toNestLogger>) => void): Record<string, unknown> {
  const lines: string[] = [];
  use(toNestLogger(createLogger('spec', 'trace', { write: (line) => void lines.push(line) })));
  expect(lines).toHaveLength(1);
  return JSON.parse(lines.join('')) as Record<string, unknown>;
}

describe("Nest's own log", () => {
  it("says what Nest tells at its start on debug, so that a service's log begins with its own words", () => {
    expect(written((nest) => nest.log('Mapped', 'Router'))).toMatchObject({
      level: 20,
      msg: 'Mapped',
      context: 'Router',
    });
  });

  it('keeps the stack of an error, be it told as text or as an Error', () => {
    expect(written((nest) => nest.error('failed', 'at x', 'Serve'))).toMatchObject({
      level: 50,
      msg: 'failed',
      stack: 'at x',
    });
    expect(written((nest) => nest.error(new Error('broken'), 'Serve'))).toMatchObject({ err: { message: 'broken' } });
  });

  it('is redacted like everything else', () => {
    expect(written((nest) => nest.warn({ apiKey: 'canary' }, 'X')).msg).not.toContain('canary');
  });
});
