import { randomUUID } from 'node:crypto';
import { eventually } from '@tollgate/testing';
import type { Stack } from '../../stack/stack';
import { storedEvents } from '../ledger/stored-events';
import { answerTo, differences } from './answer';
import type { Answer } from './answer';
import type { CaseName } from './cases';
import type { AskedPlace } from './gateway';
import { bearer } from './own-server';
import type { OwnServer } from './own-server';
import { questions } from './questions';
import type { Question, QuestionName } from './questions';

/** What was found for one question. `problems` is empty where nothing differs; `named`: why it may. */
export interface Cell {
  problems: string[];
  named: string | null;
}

/** What the table has a line for. */
export type LineName = QuestionName | CaseName;

const listedWithinMs = 9_000;
const bookedWithinMs = 3_000;

/** Resolves once the gateway offers the model of each place. @throws Error when it does not */
export async function allListed(baseUrl: string, apiKey: string, places: readonly AskedPlace[]): Promise<void> {
  await eventually(async () => {
    const response = await fetch(`${baseUrl}/v1/models`, { headers: bearer(apiKey) });
    const text = await response.text();
    return places.every(({ provider, part }) => text.includes(`"${provider}/${part.model}"`));
  }, listedWithinMs);
}

/**
 * The problems, with the reason why all of them may be; `named` null where there is none, or one that nobody
 * has named.
 */
export function cellOf({ named }: OwnServer, name: LineName, problems: string[]): Cell {
  const { begins, why } = named[name] ?? { begins: '', why: null };
  const mayBe = problems.length > 0 && problems.every((problem) => problem.startsWith(begins));
  return { problems, named: mayBe ? why : null };
}

/** A sentence for each difference between the server's own answer, ours and the ledger. */
export async function asked(stack: Stack, place: AskedPlace, name: QuestionName, apiKey: string): Promise<string[]> {
  const question: Question = questions[name];
  const isTranslated = question.isTranslated === true;
  const id = `${randomUUID()}-0`;
  const asItIs = question.besideV1 ? { ...question, path: question.path.replace(/^\/v1/, '') } : question;
  const directly = isTranslated ? questions.plain : asItIs;
  const model = question.model ?? place.part.model;
  const direct = await answerTo(place.url, directly, model, bearer(place.server.key));
  const through = await answerTo(stack.baseUrl, question, `${place.provider}/${model}`, {
    ...bearer(apiKey),
    'x-request-id': id,
  });
  return [...differences(direct, through, isTranslated), ...(await bookedWrong(stack, id, through))];
}

/** The ledger holds what the server told, once. */
async function bookedWrong(stack: Stack, id: string, { status, usage }: Answer): Promise<string[]> {
  if (status >= 400 || usage === null) return [];
  const events = await eventually(
    () => storedEvents(stack.databaseUrl, id.slice(0, -2)),
    (found) => found.length > 0,
    bookedWithinMs,
  );
  const booked = events.map((event) => `${event.input_tokens} + ${event.output_tokens}`).join(', ');
  return booked === usage.join(' + ') ? [] : [`${usage.join(' + ')} tokens told, ${booked} in the ledger`];
}
