import { Command } from 'commander';
import { accountsApprove } from './commands/accounts-approve';
import { accountsDecline } from './commands/accounts-decline';
import { accountsList } from './commands/accounts-list';
import { accountsRequest } from './commands/accounts-request';
import { accountsSuspend } from './commands/accounts-suspend';
import { check } from './commands/check';
import { auditList } from './commands/audit-list';
import { budgetsChange, budgetsCreate, budgetsList, budgetsRemove, budgetsShow } from './commands/budgets';
import { catalogCompare } from './commands/catalog-compare';
import { catalogUpdate } from './commands/catalog-update';
import { completion } from './commands/completion';
import { configApply, configDiff, configExport, configHistory, configRollback, configShow } from './commands/config';
import { deadLettersDrop } from './commands/dead-letters-drop';
import { deadLettersList } from './commands/dead-letters-list';
import { deadLettersReplay } from './commands/dead-letters-replay';
import { deadLettersShow } from './commands/dead-letters-show';
import { deploymentsClose, deploymentsDrain, deploymentsOpen } from './commands/deployments-hold';
import { deploymentsIncidents } from './commands/deployments-incidents';
import { deploymentsList } from './commands/deployments-list';
import { doctor } from './commands/doctor';
import { factorsHistory, factorsList, factorsRemove, factorsSet, factorsWithdraw } from './commands/factors';
import { guardrailsList, guardrailsRemove, guardrailsSet, guardrailsTry } from './commands/guardrails';
import { importBifrost } from './commands/import-bifrost';
import { importLitellm } from './commands/import-litellm';
import { importOpenaiCompatible } from './commands/import-openai-compatible';
import { importOpenrouter } from './commands/import-openrouter';
import { importPortkey } from './commands/import-portkey';
import { invoicesImport } from './commands/invoices-import';
import { invoicesRequests } from './commands/invoices-requests';
import { keysCreate } from './commands/keys-create';
import { keysList } from './commands/keys-list';
import { keysLogContent } from './commands/keys-log-content';
import { keysMake } from './commands/keys-make';
import { keysTags } from './commands/keys-tags';
import { keysTellCost } from './commands/keys-tell-cost';
import { keysLimits } from './commands/keys-limits';
import { keysProject } from './commands/keys-project';
import { keysRevoke } from './commands/keys-revoke';
import { keysRotate } from './commands/keys-rotate';
import { logsDelete } from './commands/logs-delete';
import { logsShow } from './commands/logs-show';
import { mailsList } from './commands/mails-list';
import { migrate } from './commands/migrate';
import { modelsList } from './commands/models-list';
import { modelsLook, modelsOff, modelsOn } from './commands/models-offer';
import { modelsRemove, modelsSet } from './commands/models-set';
import {
  peopleInvite,
  peopleList,
  peopleRemove,
  peopleResetSecondFactor,
  peopleRole,
  peopleWithdraw,
} from './commands/people';
import { plansList, plansRemove, plansSet } from './commands/plans';
import { pricesHistory, pricesList, pricesRemove, pricesSet, pricesWithdraw } from './commands/prices';
import { pricesUpdate } from './commands/prices-update';
import { ownKeysFallBack, ownKeysList, ownKeysRemove, ownKeysSet } from './commands/own-keys';
import { providersCheck } from './commands/providers-check';
import { providersKey, providersList, providersRemove, providersReseal, providersSet } from './commands/providers-set';
import { reconcile } from './commands/reconcile';
import { requestsList } from './commands/requests-list';
import { status } from './commands/status';
import { tokensCreate, tokensList, tokensRevoke } from './commands/tokens';
import { usageDrain } from './commands/usage-drain';
import { usageExplain } from './commands/usage-explain';
import { usageExport } from './commands/usage-export';
import { usageRecount } from './commands/usage-recount';
import { usageReplay } from './commands/usage-replay';
import { usageSweep } from './commands/usage-sweep';
import { webhooksCreate, webhooksDeliveries, webhooksList, webhooksRemove, webhooksTest } from './commands/webhooks';
import { version } from '@tollgate/observability';
import type { Surroundings } from './gateway';

/** Where commander itself prints. Whole pieces of text, with their line ends. */
export interface Write {
  out: (text: string) => void;
  error: (text: string) => void;
}

type MakeCommand = (surroundings: Surroundings) => Command;

const groups: Record<string, { description: string; commands: MakeCommand[] }> = {
  keys: {
    description: 'API keys',
    commands: [
      ...[keysCreate, keysMake, keysList, keysLogContent, keysTags, keysProject, keysLimits, keysTellCost],
      ...[keysRotate, keysRevoke],
    ],
  },
  tokens: { description: 'tokens of the admin API, for machines', commands: [tokensCreate, tokensList, tokensRevoke] },
  accounts: {
    description: 'people and teams',
    commands: [accountsRequest, accountsApprove, accountsSuspend, accountsDecline, accountsList],
  },
  people: {
    description: 'who is of an account, and what they may do in it',
    commands: [peopleList, peopleInvite, peopleWithdraw, peopleRole, peopleRemove, peopleResetSecondFactor],
  },
  'own-keys': {
    description: 'keys of providers that accounts bring',
    commands: [ownKeysList, ownKeysSet, ownKeysFallBack, ownKeysRemove],
  },
  plans: { description: 'limits of keys and accounts', commands: [plansList, plansSet, plansRemove] },
  audit: { description: 'who did what', commands: [auditList] },
  requests: { description: 'single requests', commands: [requestsList] },
  budgets: {
    description: 'how much accounts and keys may spend',
    commands: [budgetsCreate, budgetsChange, budgetsRemove, budgetsList, budgetsShow],
  },
  deployments: {
    description: 'places where models are generated',
    commands: [deploymentsList, deploymentsIncidents, deploymentsClose, deploymentsDrain, deploymentsOpen],
  },
  logs: { description: 'logged requests and answers', commands: [logsShow, logsDelete] },
  webhooks: {
    description: 'where alerts are sent',
    commands: [webhooksCreate, webhooksRemove, webhooksList, webhooksTest, webhooksDeliveries],
  },
  mails: { description: 'what was written to people', commands: [mailsList] },
  models: {
    description: 'the catalog',
    commands: [modelsList, modelsSet, modelsRemove, modelsLook, modelsOn, modelsOff],
  },
  providers: {
    description: 'where models are generated',
    commands: [providersCheck, providersList, providersSet, providersKey, providersRemove, providersReseal],
  },
  catalog: { description: 'what is known of models', commands: [catalogCompare, catalogUpdate] },
  config: {
    description: 'settings that hold without a restart, beside tollgate.yaml',
    commands: [configShow, configExport, configDiff, configApply, configHistory, configRollback],
  },
  prices: {
    description: 'what models cost',
    commands: [pricesList, pricesSet, pricesRemove, pricesWithdraw, pricesHistory, pricesUpdate],
  },
  factors: {
    description: 'discounts and markups of deployments',
    commands: [factorsList, factorsSet, factorsRemove, factorsWithdraw, factorsHistory],
  },
  guardrails: {
    description: 'what is looked for in requests and answers',
    commands: [guardrailsList, guardrailsSet, guardrailsRemove, guardrailsTry],
  },
  import: {
    description: 'come over from another gateway',
    commands: [importLitellm, importPortkey, importBifrost, importOpenrouter, importOpenaiCompatible],
  },
  invoices: { description: 'what providers bill', commands: [invoicesImport, invoicesRequests] },
  usage: {
    description: 'what was used',
    commands: [usageRecount, usageExplain, usageExport, usageReplay, usageDrain, usageSweep],
  },
  'dead-letters': {
    description: 'usage that could not be stored',
    commands: [deadLettersList, deadLettersShow, deadLettersReplay, deadLettersDrop],
  },
};

/**
 * All commands under one root. `write` gets what commander itself prints: help on `out`, complaints on
 * `error`.
 */
export function program(surroundings: Surroundings, write: Write): Command {
  const root = new Command('tollgate').description('Operate a running Tollgate gateway.').version(version);
  for (const [name, { description, commands }] of Object.entries(groups)) {
    const group = new Command(name).description(description);
    for (const command of commands) group.addCommand(command(surroundings));
    root.addCommand(group);
  }
  root.addCommand(check(surroundings));
  root.addCommand(doctor(surroundings));
  root.addCommand(migrate(surroundings));
  root.addCommand(reconcile(surroundings));
  root.addCommand(status(surroundings));
  root.addCommand(completion(root, write));
  prepare(root, write);
  return root;
}

/**
 * Settings that commander does not hand down to commands made apart: throw instead of exiting, and write
 * where told.
 */
function prepare(command: Command, write: Write): void {
  command
    .exitOverride()
    .configureOutput({ writeOut: write.out, writeErr: write.error })
    .showHelpAfterError('(--help shows how)');
  for (const child of command.commands) prepare(child, write);
}
