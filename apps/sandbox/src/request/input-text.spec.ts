import { countTextTokens } from '@tollgate/dialects';
import { inputOf } from './input-text';

it('counts what was said, and not how JSON writes it', () => {
  const lines = Array.from({ length: 40 }, (_, line) => `${line}\tsays "go on"`).join('\n');
  const { inputTokens } = inputOf(lines);
  expect(inputTokens).toBeGreaterThan(countTextTokens(lines));
  expect(inputTokens).toBeLessThan(countTextTokens(lines) + 5);
});
