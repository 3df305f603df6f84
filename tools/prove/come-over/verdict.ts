import { decimalFromNanoUsd } from '@tollgate/contracts';
import type { Asked, Caller } from './callers';
import type { Holdings } from './expected';

/** What was seen. `dryChanged` and so on: names of tables that are not as they were. */
export interface Seen {
  dryChanged: string[];
  dryWroteFile: boolean;
  litellmChanged: string[];
  againChanged: string[];
  expected: Holdings;
  held: Holdings;
  asked: Asked[];
  /** What LiteLLM itself made of the same; null: it could not be had. */
  there: Asked[] | null;
  /** Requests that the provider got. */
  atProvider: number;
  /** How many callers had to be asked who go on. */
  callers: number;
}

/** What a refusal may be: of a key, of an account, of money, of a model. */
const refusals: Record<Exclude<Caller['refused'], 'none'>, readonly number[]> = {
  blocked: [401],
  expired: [401],
  'team blocked': [401, 403],
  'budget spent': [402, 429],
  model: [403, 404],
};

/** A sentence for everything that is not as it has to be; none: it holds. */
export function problemsOf(seen: Seen): string[] {
  const { expected, held, asked } = seen;
  const goOn = asked.filter(({ caller }) => caller.refused === 'none');
  const answered = goOn.filter((one) => one.text !== null);
  return [
    ...seen.dryChanged.map((table) => `The dry run changed ${table}.`),
    ...(seen.dryWroteFile ? ['The dry run wrote a file.'] : []),
    ...seen.litellmChanged.map((table) => `LiteLLM's ${table} was changed.`),
    ...seen.againChanged.map((table) => `A second run changed ${table}.`),
    ...(Object.keys(expected) as (keyof Holdings)[])
      .filter((name) => held[name] !== expected[name])
      .map((name) => `${name}: ${shown(held[name])} in place of ${shown(expected[name])}.`),
    ...(goOn.length === seen.callers ? [] : [`${goOn.length} callers were asked for, in place of ${seen.callers}.`]),
    ...Object.keys(refusals)
      .filter((why) => !asked.some(({ caller }) => caller.refused === why))
      .map((why) => `Nobody was asked for who is refused there: ${why}.`),
    ...asked.flatMap(wrongAnswer),
    ...(seen.there ?? []).flatMap(wrongThere),
    ...(seen.atProvider === answered.length
      ? []
      : [`The provider got ${seen.atProvider} requests, and ${answered.length} were answered.`]),
  ];
}

function wrongAnswer({ caller, status, text, said }: Asked): string[] {
  const isRight =
    caller.refused === 'none' ? status === 200 && text !== null : refusals[caller.refused].includes(status);
  const wish = caller.refused === 'none' ? 'goes on' : `is refused there (${caller.refused})`;
  return isRight ? [] : [`${caller.surface} ${caller.model}, who ${wish}: ${status} ${said.slice(0, 200)}`];
}

/** Else it would not be what LiteLLM does that is compared. */
function wrongThere({ caller, status, text, said }: Asked): string[] {
  const isRight = caller.refused === 'none' ? text !== null : status >= 400;
  const wish = caller.refused === 'none' ? 'should be answered' : `should be refused (${caller.refused})`;
  return isRight
    ? []
    : [`LiteLLM itself, ${caller.surface} ${caller.model}, which ${wish}: ${status} ${said.slice(0, 600)}`];
}

function shown(value: number | bigint): string {
  return typeof value === 'bigint' ? `$${decimalFromNanoUsd(value)}` : String(value);
}
