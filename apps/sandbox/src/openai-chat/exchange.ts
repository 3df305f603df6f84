import { randomUUID } from 'node:crypto';
import type { Connection } from '../voice/connection';
import { streamAnswer } from './stream-answer';
import type { Plan } from './planner';
import { errorAnswer } from './error-answer';
import { renderCompletion, renderError } from './render';
import type { AnswerHead } from './render';

const json = { 'content-type': 'application/json' };

/** Answers one request as planned. Resolves when the answer is over, however it ended. */
export async function answer(connection: Connection, plan: Plan, authorization: string): Promise<void> {
  const { behaviour } = plan;
  await connection.wait(behaviour.headersMs);
  if (behaviour.status !== null) {
    const { headers, body } = errorAnswer(behaviour.status, behaviour.retryAfterS, authorization);
    return connection.answer(behaviour.status, headers, body, 0, 'refused');
  }
  switch (behaviour.fault) {
    case 'hang':
      return connection.silence();
    case 'reset_before':
      return connection.reset();
    case 'html':
      return connection.answer(
        502,
        { 'content-type': 'text/html' },
        '<html><body><h1>502 Bad Gateway</h1></body></html>',
        0,
        'refused',
      );
    case 'empty':
      return connection.answer(200, json, '', 0, 'cut');
    default:
      return plan.request.stream && behaviour.fault !== 'ignore_stream'
        ? streamAnswer(connection, plan, answerHead(plan))
        : plainAnswer(connection, plan);
  }
}

async function plainAnswer(connection: Connection, plan: Plan): Promise<void> {
  const { behaviour, outputTokens } = plan;
  const { fault } = behaviour;
  if (fault === 'reset_headers' || fault === 'reset_mid' || fault === 'stall' || fault === 'truncate')
    return breakOff(connection, plan);
  await connection.wait(behaviour.firstMs + behaviour.delayMs * outputTokens);
  if (fault === 'error_first' || fault === 'error_mid') {
    return connection.answer(
      200,
      json,
      renderError('The server had an error while processing your request.', 'server_error'),
      0,
      'cut',
    );
  }
  const body = renderCompletion(answerHead(plan), plan.completionTail);
  if (fault === 'malformed') return connection.answer(200, json, body.slice(0, body.length / 2), 0, 'cut');
  if (fault === 'trickle') {
    await connection.head(200, json);
    await connection.trickle(body, outputTokens, 0);
    return connection.end('', 'completed');
  }
  return connection.answer(200, json, body, outputTokens, 'completed');
}

/** Head and half a body, and then nothing good. */
async function breakOff(connection: Connection, plan: Plan): Promise<void> {
  const { fault } = plan.behaviour;
  const body = renderCompletion(answerHead(plan), plan.completionTail);
  await connection.head(200, json);
  if (fault !== 'reset_headers') await connection.write(body.slice(0, body.length / 2), 0, 0);
  if (fault === 'stall') return connection.silence();
  return fault === 'truncate' ? connection.end('', 'cut') : connection.reset();
}

function answerHead(plan: Plan): AnswerHead {
  return { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1_000), model: plan.model };
}
