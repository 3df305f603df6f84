import { setTimeout as delay } from 'node:timers/promises';
import { answerTo } from './answer';
import type { Answer } from './answer';
import type { Gateway, Place } from './gateway';
import { bearer } from './own-server';
import type { Question } from './questions';
import { questions } from './questions';

/** Behind so many long answers, which take all the places that a server has, come so many short ones. */
const [longOnes, shortOnes] = [2, 15];
/** Longer than any limit of a stream that is not a server's of one's own. */
const silentMs = 125_000;
/** How much later than the server itself we may answer again. */
const lateMs = 3_000;
const patienceMs = 300_000;

/** Where a question goes: an address, a model's name there, and what is sent with it. */
interface Target {
  url: string;
  model: string;
  headers: Record<string, string>;
}

const itself = ({ running, part, server }: Place): Target => ({
  url: running.url,
  model: part.model,
  headers: bearer(server.key),
});
const throughUs = ({ provider }: Place, { baseUrl, apiKey }: Gateway): Target => ({
  url: baseUrl,
  model: `${provider}/always`,
  headers: bearer(apiKey),
});

/**
 * What is played beside the questions. Each returns a sentence for each thing that is wrong; empty: nothing
 * is.
 */
export const cases = {
  'busy server': async (place, gateway) => {
    const direct = await crowd(itself(place));
    const through = await crowd(throughUs(place, gateway));
    const refused = through.filter(({ status }) => status !== 200);
    const answered = direct.filter(({ status }) => status === 200).length;
    if (refused.length <= direct.length - answered) return [];
    const told = [...new Set(refused.map(({ status, message }) => `${status} ${message}`))].join('; ');
    return [`${answered} of ${direct.length} answered directly, ${refused.length} refused through us: ${told}`];
  },
  'silence of two minutes': async (place, gateway) => {
    const target = throughUs(place, gateway);
    place.running.pause();
    const answers = Promise.all([questions.plain, questions.streamed].map((question) => ask(target, question)));
    await delay(silentMs);
    place.running.resume();
    return (await answers).flatMap(({ status, message }) => (status === 200 ? [] : [`${status}: ${message}`]));
  },
  'wrong address': async (place, gateway) => {
    const { status, message } = await ask(
      { ...throughUs(place, gateway), model: `${place.provider}/tls` },
      questions.plain,
    );
    // A server that waits for the end of what it takes for a request lets the handshake time out.
    return [502, 504].includes(status) && message.includes(place.running.url.replace('http:', 'https:'))
      ? []
      : [`${status}, and the address is not told: ${message}`];
  },
  'started again': async (place, gateway) => {
    const target = throughUs(place, gateway);
    await place.running.stop();
    const problems: string[] = [];
    for (let count = 0; count < 8; count += 1) {
      const { status, message } = await ask(target, questions.plain);
      if (status !== 502 && status !== 503) problems.push(`${status} while it is away: ${message}`);
    }
    await place.running.start();
    await untilAnswered(itself(place));
    const readyMs = performance.now();
    await untilAnswered(target);
    const late = performance.now() - readyMs;
    return late > lateMs ? [...problems, `answers ${Math.round(late)} ms later than the server itself`] : problems;
  },
  'full queue': async (place, gateway) => {
    const direct = await crowd(itself(place), 0);
    if (direct.every(({ status }) => status === 200)) return ['it refuses nobody directly'];
    const odd = (await crowd(throughUs(place, gateway), 0)).filter(
      ({ status, retryAfter }) => status !== 200 && !([429, 503].includes(status) && retryAfter !== null),
    );
    return odd.map(({ status, retryAfter, message }) => `${status}, Retry-After ${retryAfter}: ${message}`);
  },
} as const satisfies Record<string, (place: Place, gateway: Gateway) => Promise<string[]>>;

export type CaseName = keyof typeof cases;

/** What every server for chat completions is played. */
export const chatCases = [
  'busy server',
  'silence of two minutes',
  'wrong address',
  'started again',
] as const satisfies readonly CaseName[];

function ask({ url, model, headers }: Target, question: Question): Promise<Answer> {
  return answerTo(url, question, model, headers, patienceMs);
}

/** What came of the short ones that are sent while the long ones are under way. */
async function crowd(target: Target, count = longOnes): Promise<Answer[]> {
  const long = Array.from({ length: count }, () => ask(target, questions['long stream']));
  // They have to be there first; whether they have begun is not told by all servers.
  await delay(500);
  const short = await Promise.all(Array.from({ length: shortOnes }, () => ask(target, questions.streamed)));
  await Promise.all(long);
  return short;
}

async function untilAnswered(target: Target): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const { status, message } = await ask(target, questions.plain).catch((error: unknown) => ({
      status: 0,
      message: String(error),
    }));
    if (status === 200) return;
    if (performance.now() > giveUpAt) throw new Error(`${target.url} does not answer again: ${status} ${message}`);
    await delay(200);
  }
}
