import type { Connection } from '../voice/connection';
import type { Plan } from './planner';
import { ChunkRenderer, done, renderError } from './render';
import type { AnswerHead } from './render';
import type { AnswerStep } from './answer';

const eventStream = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** Without a delay so many steps travel in one write, as they do from a provider that is faster than the network. */
const stepsPerWrite = 64;

interface PlannedStep {
  choice: number;
  step: AnswerStep;
}

/** Streams an answer, and breaks it as its behaviour says. */
export async function streamAnswer(connection: Connection, plan: Plan, head: AnswerHead): Promise<void> {
  const { behaviour, request } = plan;
  const chunks = new ChunkRenderer(head, request.includeUsage);
  const steps = interleaved(plan);
  const broken = endingOf(plan, chunks);
  await connection.head(200, eventStream);
  await connection.wait(behaviour.firstMs);
  if (behaviour.fault === 'reset_headers') return connection.reset();
  if (behaviour.fault !== 'error_first') {
    await connection.write(plan.choices.map((_, choice) => chunks.role(choice)).join(''), 0, plan.choices.length);
    await writeSteps(connection, plan, chunks, broken ? steps.slice(0, behaviour.at) : steps);
  }
  if (broken) return broken(connection);
  return connection.end(lastEvents(plan, chunks), 'completed');
}

/** How a fault ends the stream after its `at` tokens; null when it ends well. */
function endingOf(
  { behaviour: { fault }, choices }: Plan,
  chunks: ChunkRenderer,
): ((connection: Connection) => Promise<void>) | null {
  switch (fault) {
    case 'reset_mid':
      return (connection) => connection.reset();
    case 'truncate':
      return (connection) => connection.end('', 'cut');
    case 'stall':
      return (connection) => connection.silence();
    case 'error_first':
    case 'error_mid': {
      const error = renderError('The server had an error while processing your request.', 'server_error');
      return (connection) => connection.end(`data: ${error}\n\n`, 'cut');
    }
    case 'malformed': {
      // All looks well after the broken event, so that who skips it takes the answer for whole.
      const finish = choices.map((choice, index) => chunks.finish(index, choice.finishReason)).join('');
      return (connection) => connection.end(chunks.malformed() + finish + done, 'cut');
    }
    default:
      return null;
  }
}

async function writeSteps(
  connection: Connection,
  plan: Plan,
  chunks: ChunkRenderer,
  steps: readonly PlannedStep[],
): Promise<void> {
  const { delayMs, fault } = plan.behaviour;
  const perWrite = delayMs === 0 && fault !== 'trickle' ? stepsPerWrite : 1;
  for (let at = 0; at < steps.length && connection.isOpen; at += perWrite) {
    if (at > 0) await connection.wait(delayMs);
    const together = steps.slice(at, at + perWrite);
    const text = together.map(({ choice, step }) => chunks.step(choice, step)).join('');
    const tokens = together.reduce((sum, { step }) => sum + step.tokens, 0);
    if (fault === 'trickle') await connection.trickle(text, tokens, together.length);
    else await connection.write(text, tokens, together.length);
  }
}

/** Finish reasons, the usage for who asked, and [DONE]. */
function lastEvents({ behaviour, choices, inputTokens, outputTokens, request }: Plan, chunks: ChunkRenderer): string {
  const finish = choices.map((choice, index) => chunks.finish(index, choice.finishReason)).join('');
  const usage =
    request.includeUsage && behaviour.fault !== 'no_usage' ? chunks.usage({ inputTokens, outputTokens }) : '';
  return finish + usage + done;
}

/** The steps of all choices in the order in which they are written: one of each in turn. */
function interleaved({ choices }: Plan): PlannedStep[] {
  const steps: PlannedStep[] = [];
  const longest = Math.max(0, ...choices.map((choice) => choice.steps.length));
  for (let at = 0; at < longest; at++) {
    for (const [choice, { steps: own }] of choices.entries()) {
      const step = own[at];
      if (step) steps.push({ choice, step });
    }
  }
  return steps;
}
