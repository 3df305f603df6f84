import { hash } from './hash';

/**
 * The sandbox's vocabulary: each word with a space in front is one token of o200k_base, so that a chunk is a
 * token.
 */
export const words: readonly string[] = `
  about above across after again against almost along already also always among another answer around because become
  before begin behind believe below better between beyond bridge bright bring brother build called carry center
  certain change children choose circle city clean clear close cold common complete could country course cover create
  cross current dark decide deep different direct dream drive during early earth easy either empty enough entire even
  evening ever every exact example fair fall family far farm fast father feel field figure final find fine fire first
  flower follow food forest form forward found free fresh friend from front full future garden gather gentle give
  glass gold good grand great green ground grow guard guide half hand happy harbor hard hear heart heavy hello help
  here high hill hold home hope horse hour house human hundred idea important inside island keep kind know lake land
  large last late learn leave left letter level life light like line listen little live long look love machine main
  make many market matter mean measure meet middle might mile mind minute model moment money month moon more morning
  mother mountain move much music must name nature near need never night north note number ocean often old once only
  open order other over paint paper part pass path peace people perfect person picture place plain plan plant play
  please point power present problem promise quick quiet quite rain reach ready real reason record remember rest
  return right ring rise river road rock room round same sand save science search season second secret send sense
  serve seven shape share ship short should show side silver simple since sing single sister sleep slow small smile
  smooth snow soft some song soon sound south space speak spring stand star start state stay step still stone story
  stream street strong study such summer sure table take talk teach tell test that their then there these they thing
  think this those thought three through time today together town travel tree true turn under until upon value very
  view village visit voice wait walk wall want warm watch water wave west what wheel when where which while white
  whole wide wild wind window winter wise with wonder wood word work world write year yellow yesterday young your
`
  .trim()
  .split(/\s+/);

/** A token and its natural logarithm of a probability: always the same for the same token. */
export interface Logprob {
  token: string;
  logprob: number;
}

/** The log probability of a bit of text. */
export function logprobOf(token: string): Logprob {
  return { token, logprob: -((hash(token) % 1_000) + 1) / 10_000 };
}

/** The likeliest tokens in its place, itself first. */
export function alternativesTo(token: string, count: number): Logprob[] {
  const seed = hash(token);
  const others = Array.from({ length: Math.max(count - 1, 0) }, (_, index) => ({
    token: ` ${words[(seed + index) % words.length]}`,
    logprob: -3 - index,
  }));
  return [logprobOf(token), ...others].slice(0, count);
}
