import { rmSync } from 'node:fs';
import { Installation } from './installation';
import { runSteps } from './run-steps';
import type { Step } from './step';

const begun = jest.fn<Promise<void>, []>();

class Watched extends Installation {
  override beginAnew(): Promise<void> {
    return begun();
  }

  override createKey(): Promise<string> {
    return Promise.resolve('new');
  }
}

const installation = new Watched(false);
const keys: string[] = [];
const said: string[] = [];
const holds = (name: string): Step => ({ name, run: ({ apiKey }) => Promise.resolve(void keys.push(apiKey)) });
const falls = (name: string): Step => ({ name, run: () => Promise.reject(new Error(`${name} fell`)) });
const run = (steps: Step[]) => {
  const say = (line: string) => void said.push(line);
  return runSteps(steps, { installation, apiKey: 'first', perSecond: 1, say }, say);
};

beforeEach(() => {
  begun.mockReset().mockResolvedValue();
  keys.length = said.length = 0;
});
afterAll(() => rmSync(installation.folder, { recursive: true }));

it('goes on in an installation that is begun anew, and tells which steps did not hold', async () => {
  expect(await run([holds('start'), falls('one'), holds('two'), falls('three')])).toEqual(['one', 'three']);
  expect(keys).toEqual(['first', 'new']);
  // Nothing comes after the last one.
  expect(begun).toHaveBeenCalledTimes(1);
  expect(said).toContain('NOT held: one fell');
});

it('ends where there is nothing to go on in', async () => {
  await expect(run([falls('start'), holds('one')])).rejects.toThrow('start fell');
  begun.mockRejectedValueOnce(new Error('no engine'));
  await expect(run([holds('start'), falls('one'), holds('two')])).rejects.toThrow('no engine');
});
