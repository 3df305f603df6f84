import type { LimitsProof } from './prove-limits';

/** The proof as a text for people. `title`: what it was about; `trouble`: what befell Valkey, if anything. */
export function limitsReport(
  title: string,
  trouble: string,
  { limit, strikes, figures, tokens, usable, truthful, holds }: LimitsProof,
): string {
  const percent = (part: number) => `${(part * 100).toFixed(2)} %`;
  return [
    '',
    `${title}: at most ${limit} in any 60 s${strikes > 0 ? `, ${trouble} ${strikes} times` : ''}`,
    row(['traffic', 'keys', 'most in 60 s', 'admitted', 'exact limiter', 'obeyed', 'then admitted']),
    ...figures.map(({ behaviour, keys, mostInWindow, admitted, admissible, waited, waitedAdmitted, strange }) =>
      row([behaviour, keys, mostInWindow, admitted, admissible, waited, waitedAdmitted]).concat(
        strange > 0 ? `  and ${strange} strange answers` : '',
      ),
    ),
    ...(tokens
      ? [
          `  of ${tokens.limit} tokens a minute (${tokens.keys} keys): ${tokens.mostInWindow} at most, ${tokens.admitted} requests admitted, ${tokens.refused} refused, ${tokens.waitedAdmitted} of ${tokens.waited} that waited were admitted`,
        ]
      : []),
    `  usable ${percent(usable)}, Retry-After true ${percent(truthful)}: ${holds ? 'proved' : 'NOT proved'}`,
  ].join('\n');
}

function row([name = '', ...numbers]: (string | number)[]): string {
  return `  ${String(name).padEnd(12)} ${numbers.map((text) => String(text).padStart(14)).join('')}`;
}
