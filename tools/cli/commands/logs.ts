import { accountsOperations, administrationOperations } from '@tollgate/contracts/accounts';
import { contentLogOperations, type LoggedContent } from '@tollgate/contracts/metering';
import { Command } from 'commander';
import { Refusal } from '../failure';
import type { Gateway, MakeCommand, Surroundings } from '../gateway';
import { facts, printable } from '../text/table';
import { instant } from '../text/values';

/**
 * `logs show`: a logged request with its answer. The audit log of its account keeps who read it; what cannot
 * be written down is not shown.
 */
function logsShow({ gateway, output, actor }: Surroundings): Command {
  return new Command('show')
    .description('show a logged request and its answer; the audit log keeps that you did')
    .argument('<event or request id>', 'an event id, or the x-request-id of an answer (the newest with it)')
    .option('--json', 'print JSON')
    .action(async (asked: string, { json }: { json?: boolean }) => {
      const { id, requestId, keyId, accountId } = await gateway.call(contentLogOperations.find, { id: asked });
      const detail = { eventId: id, requestId, keyId };
      await gateway.call(administrationOperations.recordAct, { accountId, actor, action: 'content-read', detail });
      const logged = await gateway.call(contentLogOperations.read, { id });
      output.show(logged, json, () => loggedText(logged));
    });
}

/** A part of a large log takes its time. */
const partTimeoutMs = 30_000;

interface DeleteOptions {
  key?: string;
  json?: boolean;
}

/** `logs delete`: removes one logged request, or all of a key. The audit log keeps who did. */
function logsDelete({ gateway, output, actor }: Surroundings): Command {
  return new Command('delete')
    .description('remove a logged request and its answer, or all of a key, for good')
    .argument('[event or request id]', 'an event id, or the x-request-id of an answer (the newest with it)')
    .option('--key <key id>', 'all that was logged of this key')
    .option('--json', 'print JSON')
    .action(async (id: string | undefined, { key, json }: DeleteOptions) => {
      if ((id === undefined) === (key === undefined)) throw new Refusal('Name either a request or a key (--key).');
      const removed =
        id === undefined ? await removeOfKey(gateway, actor, key ?? '') : await removeOne(gateway, actor, id);
      output.show({ removed }, json, () => `Removed ${removed} logged ${removed === 1 ? 'request' : 'requests'}.`);
    });
}

async function removeOne(gateway: Gateway, actor: string, asked: string): Promise<number> {
  const { id, requestId, keyId, accountId } = await gateway.call(contentLogOperations.find, { id: asked });
  const detail = { eventId: id, requestId, keyId };
  await gateway.call(administrationOperations.recordAct, { accountId, actor, action: 'content-removed', detail });
  await gateway.call(contentLogOperations.remove, { id });
  return 1;
}

async function removeOfKey(gateway: Gateway, actor: string, keyId: string): Promise<number> {
  const { accountId } = (await gateway.call(accountsOperations.getKey, { keyId })).key;
  const detail = { keyId };
  await gateway.call(administrationOperations.recordAct, { accountId, actor, action: 'content-removed', detail });
  let removed = 0;
  for (;;) {
    const part = await gateway.call(contentLogOperations.removeOfKey, { keyId }, { timeoutMs: partTimeoutMs });
    removed += part.removed;
    if (part.isDone) return removed;
  }
}

export const commands: readonly MakeCommand[] = [logsShow, logsDelete];

/** A logged request and its answer for people. */
function loggedText(logged: LoggedContent): string {
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
