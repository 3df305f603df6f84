import type { UpstreamError } from '@tollgate/dialects';
import { attemptWords } from './attempt-words';

const error = (changes: Partial<UpstreamError>): UpstreamError => ({
  fault: 'retryable',
  code: 'upstream_error',
  message: 'OpenAI answered with status 503',
  retryAfterS: null,
  ...changes,
});

it.each<[string, Partial<UpstreamError>, object]>([
  ['the provider’s own', { detail: 'The engine is overloaded.' }, { reason: 'The engine is overloaded.' }],
  ['ours, where it said none', {}, { reason: 'OpenAI answered with status 503' }],
  [
    'apart, where they are about the operator’s account',
    { fault: 'ours', detail: 'You exceeded your current quota.' },
    { reason: 'OpenAI answered with status 503', detail: 'You exceeded your current quota.' },
  ],
  ['on one line', { detail: ' one\n\ttwo ' }, { reason: 'one two' }],
])('the words of a failed attempt are %s', (_which, changes, words) =>
  expect(attemptWords(error(changes))).toEqual(words),
);

it('leaves out what a server quotes at length, and cuts the rest', () => {
  const prompt = 'tell me a secret '.repeat(10);
  for (const quoted of [`"${prompt}"`, `\`${prompt}\``, `“${prompt}”`])
    expect(attemptWords(error({ detail: `Cannot read ${quoted} at 7` }))).toEqual({ reason: 'Cannot read "…" at 7' });
  expect(attemptWords(error({ detail: 'The name "tiny" is unknown.' })).reason).toBe('The name "tiny" is unknown.');
  expect(attemptWords(error({ detail: 'x'.repeat(1_000) })).reason).toHaveLength(301);
});
