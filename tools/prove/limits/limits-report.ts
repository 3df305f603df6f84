import type { LimitsProof } from './prove-limits';

/** The proof as a text for people. `title` says what it was about. */
export function limitsReport(
  title: string,
  { limit, restarts, figures, usable, truthful, holds }: LimitsProof,
): string {
  const percent = (part: number) => `${(part * 100).toFixed(2)} %`;
  return [
    '',
    `${title}: at most ${limit} in any 60 s${restarts > 0 ? `, Valkey killed with -9 ${restarts} times` : ''}`,
    row(['traffic', 'keys', 'most in 60 s', 'admitted', 'exact limiter', 'obeyed', 'then admitted']),
    ...figures.map(({ behaviour, keys, mostInWindow, admitted, admissible, waited, waitedAdmitted, strange }) =>
      row([behaviour, keys, mostInWindow, admitted, admissible, waited, waitedAdmitted]).concat(
        strange > 0 ? `  and ${strange} strange answers` : '',
      ),
    ),
    `  usable ${percent(usable)}, Retry-After true ${percent(truthful)}: ${holds ? 'proved' : 'NOT proved'}`,
  ].join('\n');
}

function row([name = '', ...numbers]: (string | number)[]): string {
  return `  ${String(name).padEnd(12)} ${numbers.map((text) => String(text).padStart(14)).join('')}`;
}
