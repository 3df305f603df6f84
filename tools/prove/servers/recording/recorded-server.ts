import { answerJson, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream } from '@tollgate/testing';
import { bearer } from '../own-server';
import { keyOf } from './recording';
import type { Exchange } from './recording';

/**
 * Answers as a real server did, to those who have its key (null: it asks for none). A request that it was
 * never asked is a 400, in whose message it stands: the gateway asks otherwise than when this was recorded.
 */
export function startRecordedServer(exchanges: readonly Exchange[], key: string | null): Promise<ScriptedUpstream> {
  const answers = new Map(exchanges.map((exchange) => [exchange.asked, exchange]));
  return startScriptedUpstream((visit) => {
    const { path, body, headers, response } = visit;
    const asked = keyOf(path, body);
    const answer = answers.get(asked);
    if (key !== null && headers.authorization !== bearer(key).authorization) return answerJson(visit, 401, '{}');
    if (answer) return void response.writeHead(answer.status, answer.headers).end(answer.text);
    if (body.length === 0) return answerJson(visit, 404, '{}');
    const message = `nobody recorded ${asked}: ${body.toString('utf8', 0, 500)}; npm run prove -- servers --record does`;
    answerJson(visit, 400, JSON.stringify({ error: { message, type: 'invalid_request_error' } }));
  });
}
