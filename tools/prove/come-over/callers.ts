import type { Estate, Refused } from './estate';

/** The addresses that LiteLLM has, as its callers ask them. */
const surfaces = ['/v1/chat/completions', '/v1/messages', '/v1/responses'] as const;
export type Surface = (typeof surfaces)[number];

/** One caller's one request. `refused`: what has to come of it; `model`: outside of what its key may ask. */
export interface Caller {
  apiKey: string;
  model: string;
  surface: Surface;
  refused: Refused | 'model';
}

/** What came of it. `text`: of the answer; null where it was no such answer. */
export interface Asked {
  caller: Caller;
  status: number;
  text: string | null;
  said: string;
}

const refusedOfEach = 20;

/** So many callers who go on, from all over the estate; beside them those whom LiteLLM refuses. */
export function sampleCallers(estate: Estate, models: readonly string[], size: number): Caller[] {
  const { keys, former, teams } = estate;
  const modelOf = ({ models: own, team }: (typeof keys)[number], index: number): string => {
    const list = own.filter((name) => name !== 'all-team-models');
    const ofTeam = team === null ? [] : (teams[team]?.models ?? []);
    const choice = list.length > 0 ? list : ofTeam.length > 0 ? ofTeam : models;
    return choice[index % choice.length] ?? '';
  };
  const callersOf = (some: readonly (typeof keys)[number][], refused: Caller['refused']): Caller[] =>
    some.map((key, index) => callerOf(key.apiKey, modelOf(key, index), index, refused));
  const good = keys.filter(({ refused }) => refused === 'none');
  const rotated = former.slice(0, Math.floor(size / 10));
  const refused = (['blocked', 'expired', 'team blocked', 'budget spent'] as const).flatMap((why) =>
    callersOf(
      spread(
        keys.filter((key) => key.refused === why),
        refusedOfEach,
      ),
      why,
    ),
  );
  const bound = good.filter(({ models: own }) => own.length > 0 && !own.includes('all-team-models'));
  const outside = spread(bound, refusedOfEach).map((key, index) =>
    callerOf(key.apiKey, models.find((name) => !key.models.includes(name)) ?? '', index, 'model'),
  );
  return [
    ...callersOf(spread(good, size - rotated.length), 'none'),
    ...rotated.map(({ apiKey, successor }, index) => callerOf(apiKey, modelOf(successor, index), index, 'none')),
    ...refused,
    ...outside,
  ];
}

/**
 * A caller of each surface in turn. LiteLLM makes `max_output_tokens` of messages for Gemini, which Google
 * takes as well as its own spelling, but the simulated one does not: that pair is left out.
 */
function callerOf(apiKey: string, model: string, index: number, refused: Caller['refused']): Caller {
  const surface = surfaces[index % surfaces.length] ?? surfaces[0];
  const isLeftOut = surface === '/v1/messages' && model.includes('gemini');
  return { apiKey, model, surface: isLeftOut ? surfaces[0] : surface, refused };
}

/** So many of them, from the first to the last. */
function spread<One>(all: readonly One[], count: number): One[] {
  const step = Math.max(1, all.length / count);
  return Array.from({ length: Math.min(count, all.length) }, (_, index) => all[Math.floor(index * step)]).filter(
    (one) => one !== undefined,
  );
}
