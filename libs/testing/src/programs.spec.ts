import { runProgram } from './programs';

it('gives a program what it may need, and nothing else of its environment', async () => {
  const seen = await runProgram('env', []);
  expect(seen).toContain('PATH=');
  // Jest sets it, where a program would inherit it: what a test sets is seen by the test alone.
  expect(seen).not.toContain('NODE_ENV');
  expect(await runProgram('env', [], { env: { ONLY: 'this' } })).toBe('ONLY=this\n');
});
