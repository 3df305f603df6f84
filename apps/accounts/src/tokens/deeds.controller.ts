import { Controller } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { RpcException } from '@nestjs/microservices';
import { ControlError, controlErrorBody } from '@tollgate/contracts';
import {
  accountsOperations,
  adminTokenOperations,
  importOperations,
  memberOperations,
  ownKeyOperations,
  peopleOperations,
  secondFactorOperations,
  unknownDeed,
  webhookOperations,
} from '@tollgate/contracts/accounts';
import { budgetOperations } from '@tollgate/contracts/metering';
import { isUuid } from '@tollgate/database';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { AccountsController } from '../accounts/accounts.controller';
import { WebhooksController } from '../alerts/webhooks.controller';
import { BudgetsController } from '../budgets/budgets.controller';
import { ImportsController } from '../accounts/imports.controller';
import { Changes } from '../keys/changes';
import { KeysController } from '../keys/keys.controller';
import { MembersController } from '../members/members.controller';
import { OwnKeysController } from '../own-keys/own-keys.controller';
import { PeopleController } from '../people/people.controller';
import { SecondFactorController } from '../second-factor/second-factor.controller';
import { keyUnder, openText, sealText } from '@tollgate/sealing';
import { AccountsSettings } from '../settings';
import { TokensController } from './tokens.controller';

type Asked = z.output<typeof adminTokenOperations.doOnce.request>;
type Answer = z.output<typeof adminTokenOperations.doOnce.reply>;
/** What an operation is asked, or answers. */
type Members = Asked['request'];
/** An operation as it is served: it parses what it is asked by itself. */
type Deed = (request: never) => Promise<object>;

/** For how long a deed is not done again. */
export const deedsKeptMs = 86_400_000;

/**
 * What is done under an idempotency key. The deed and the note of it are one transaction, under the lock that
 * all changes take: two questions at once, at whichever edges and instances, are one deed and one answer, and
 * an instance that dies leaves both or neither.
 */
@Controller()
export class DeedsController {
  private readonly deeds: ReadonlyMap<string, Deed>;

  constructor(
    private readonly changes: Changes,
    private readonly settings: AccountsSettings,
    classes: ModuleRef,
  ) {
    // Controllers are found, not injected.
    const keys = (): KeysController => classes.get(KeysController);
    const accounts = (): AccountsController => classes.get(AccountsController);
    const people = (): PeopleController => classes.get(PeopleController);
    const budgets = (): BudgetsController => classes.get(BudgetsController);
    const members = (): MembersController => classes.get(MembersController);
    const secondFactors = (): SecondFactorController => classes.get(SecondFactorController);
    const ownKeys = (): OwnKeysController => classes.get(OwnKeysController);
    const tokens = (): TokensController => classes.get(TokensController);
    const imports = (): ImportsController => classes.get(ImportsController);
    const webhooks = (): WebhooksController => classes.get(WebhooksController);
    const { createKey, updateKey, rotateKey, revokeKey, renameProject } = accountsOperations;
    const { requestAccess, setAccountStatus } = accountsOperations;
    this.deeds = new Map<string, Deed>([
      [createKey.subject, (request) => keys().create(request)],
      [updateKey.subject, (request) => keys().update(request)],
      [rotateKey.subject, (request) => keys().rotate(request)],
      [revokeKey.subject, (request) => keys().revoke(request)],
      [renameProject.subject, (request) => keys().renameProject(request)],
      [requestAccess.subject, (request) => accounts().request(request)],
      [setAccountStatus.subject, (request) => accounts().setStatus(request)],
      [peopleOperations.setRole.subject, (request) => people().setRole(request)],
      [peopleOperations.makeResetLinks.subject, (request) => people().makeResetLinks(request)],
      [memberOperations.invite.subject, (request) => members().invite(request)],
      [memberOperations.withdraw.subject, (request) => members().withdraw(request)],
      [memberOperations.setRole.subject, (request) => members().setRole(request)],
      [memberOperations.remove.subject, (request) => members().remove(request)],
      [secondFactorOperations.reset.subject, (request) => secondFactors().reset(request)],
      [ownKeyOperations.set.subject, (request) => ownKeys().set(request)],
      [ownKeyOperations.remove.subject, (request) => ownKeys().remove(request)],
      [ownKeyOperations.setForProject.subject, (request) => ownKeys().setForProject(request)],
      [ownKeyOperations.change.subject, (request) => ownKeys().change(request)],
      [ownKeyOperations.changeForProject.subject, (request) => ownKeys().changeForProject(request)],
      [ownKeyOperations.removeForProject.subject, (request) => ownKeys().removeForProject(request)],
      [budgetOperations.create.subject, (request) => budgets().create(request)],
      [budgetOperations.update.subject, (request) => budgets().update(request)],
      [budgetOperations.remove.subject, (request) => budgets().remove(request)],
      [adminTokenOperations.createUnder.subject, (request) => tokens().createUnder(request)],
      [adminTokenOperations.revoke.subject, (request) => tokens().revoke(request)],
      [importOperations.take.subject, (request) => imports().take(request)],
      [webhookOperations.create.subject, (request) => webhooks().create(request)],
      [webhookOperations.update.subject, (request) => webhooks().update(request)],
      [webhookOperations.remove.subject, (request) => webhooks().remove(request)],
      [webhookOperations.test.subject, (request) => webhooks().test(request)],
    ]);
  }

  /**
   * @throws ControlError what the operation refuses with; `not_found` (no such operation, or no id of a token
   * or person).
   */
  @Serve(adminTokenOperations.doOnce)
  doOnce({ tokenId, idempotencyKey, digest, subject, request }: Asked): Promise<Answer> {
    const deed = this.deeds.get(subject);
    if (!deed || !isUuid(tokenId)) throw new ControlError('not_found', unknownDeed(subject));
    return this.changes.commit(async ({ transaction: { adminDeed } }) => {
      const name = { tokenId, idempotencyKey };
      const doneAt = new Date();
      await adminDeed.deleteMany({ where: { ...name, doneAt: { lte: new Date(doneAt.getTime() - deedsKeptMs) } } });
      const done = await adminDeed.findUnique({ where: { tokenId_idempotencyKey: name } });
      if (done && done.digest !== digest) return { reply: null, isReplay: false };
      if (done) return { reply: this.open(tokenId, done.sealedReply), isReplay: true };
      const reply = await this.perform(deed, request);
      const sealedReply = sealText(this.keyOf(tokenId), JSON.stringify(reply));
      await adminDeed.create({ data: { ...name, digest, sealedReply, doneAt } });
      return { reply, isReplay: false };
    });
  }

  private async perform(deed: Deed, request: Members): Promise<Members> {
    try {
      // Each operation parses what it is asked: whatever this is, it is refused where it is not right.
      return { ...(await deed(request as never)) };
    } catch (error) {
      if (!(error instanceof RpcException)) throw error;
      const { code, message } = controlErrorBody.parse(error.getError());
      throw new ControlError(code, message);
    }
  }

  /** Null: it was sealed under another pepper. */
  private open(tokenId: string, sealed: string): Members | null {
    try {
      const reply: unknown = JSON.parse(openText(this.keyOf(tokenId), sealed));
      return adminTokenOperations.doOnce.request.shape.request.parse(reply);
    } catch {
      return null;
    }
  }

  private keyOf(tokenId: string): Buffer {
    return keyUnder(this.settings.keyPepper, `tollgate deeds of ${tokenId}`);
  }
}
