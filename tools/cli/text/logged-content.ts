import type { LoggedContent } from '@tollgate/contracts';
import { facts, printable } from './table';
import { instant } from './values';

/** A logged request and its answer for people. */
export function loggedText(logged: LoggedContent): string {
  const { request, answer, requestTruncated, answerTruncated } = logged;
  const head = facts([
    ['event', logged.id],
    ['request', logged.requestId],
    ['key', logged.keyId],
    ['account', logged.accountId],
    ['model', logged.model],
    ['format', `${logged.surface}${logged.stream ? ', streamed' : ''}${logged.cached ? ', from the cache' : ''}`],
    ['state', `${logged.state} (${logged.status})`],
    ['ended', instant(logged.endedAt)],
    ['kept until', instant(logged.expiresAt)],
    ['taken out', String(logged.redactions)],
  ]);
  return [
    head,
    `Request${cut(requestTruncated)}:\n${indented(request)}`,
    `Answer${cut(answerTruncated)}:\n${answer === null ? 'nothing that can be shown' : indented(answer)}`,
  ].join('\n\n');
}

function cut(isTruncated: boolean): string {
  return isTruncated ? ' (cut)' : '';
}

/** It was written by strangers: nothing of it may move the cursor. */
function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2).split('\n').map(printable).join('\n');
}
