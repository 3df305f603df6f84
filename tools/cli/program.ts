import { version } from '@tollgate/observability';
import { Command, Help } from 'commander';
import { completion } from './commands/completion';
import type { MakeCommand, Surroundings } from './gateway';

/** Where commander itself prints. Whole pieces of text, with their line ends. */
export interface Write {
  out: (text: string) => void;
  error: (text: string) => void;
}

/** Commands that stand under a word of their own. They are loaded when that word is there. */
interface Group {
  description: string;
  load: () => Promise<{ commands: readonly MakeCommand[] }>;
}

const groups: Record<string, Group> = {
  keys: { description: 'API keys', load: () => import('./commands/keys') },
  tokens: { description: 'tokens of the admin API, for machines', load: () => import('./commands/tokens') },
  accounts: { description: 'people and teams', load: () => import('./commands/accounts') },
  people: { description: 'who is of an account, and what they may do in it', load: () => import('./commands/people') },
  'own-keys': { description: 'keys of providers that accounts bring', load: () => import('./commands/own-keys') },
  plans: { description: 'limits of keys and accounts', load: () => import('./commands/plans') },
  audit: { description: 'who did what', load: () => import('./commands/audit-list') },
  requests: { description: 'single requests', load: () => import('./commands/requests-list') },
  budgets: { description: 'how much accounts and keys may spend', load: () => import('./commands/budgets') },
  deployments: { description: 'places where models are generated', load: () => import('./commands/deployments') },
  logs: { description: 'logged requests and answers', load: () => import('./commands/logs') },
  webhooks: { description: 'where alerts are sent', load: () => import('./commands/webhooks') },
  mails: { description: 'what was written to people', load: () => import('./commands/mails-list') },
  models: { description: 'the catalog', load: () => import('./commands/models') },
  providers: { description: 'where models are generated', load: () => import('./commands/providers') },
  catalog: { description: 'what is known of models', load: () => import('./commands/catalog') },
  config: {
    description: 'settings that hold without a restart, beside tollgate.yaml',
    load: () => import('./commands/config'),
  },
  prices: { description: 'what models cost', load: () => import('./commands/prices') },
  factors: { description: 'discounts and markups of deployments', load: () => import('./commands/factors') },
  guardrails: {
    description: 'what is looked for in requests and answers',
    load: () => import('./commands/guardrails'),
  },
  import: { description: 'come over from another gateway', load: () => import('./commands/import') },
  invoices: { description: 'what providers bill', load: () => import('./commands/invoices') },
  usage: { description: 'what was used', load: () => import('./commands/usage') },
  'dead-letters': { description: 'usage that could not be stored', load: () => import('./commands/dead-letters') },
};

/** Commands of one word, likewise. */
const single: Record<string, { description: string; load: () => Promise<MakeCommand> }> = {
  check: {
    description: 'read every setting (environment, tollgate.yaml) and tell all that is wrong',
    load: async () => (await import('./commands/check')).check,
  },
  doctor: {
    description: 'read every setting again, ask what runs, and tell all that is wrong',
    load: async () => (await import('./commands/doctor')).doctor,
  },
  migrate: {
    description: "bring the database to this release's schema, and let each service use its own tables",
    load: async () => (await import('./commands/migrate')).migrate,
  },
  reconcile: {
    description: 'compare the bills of providers with the ledger',
    load: async () => (await import('./commands/reconcile')).reconcile,
  },
  status: {
    description: 'ask every service how it is',
    load: async () => (await import('./commands/status')).status,
  },
};

/**
 * Commands under one root: of `words` (a command line) those of the first word under the root are there as a
 * whole, of the others only what the list of them says; without `words` all are. `write` gets what commander
 * itself prints: help on `out`, complaints on `error`.
 */
export async function program(surroundings: Surroundings, write: Write, words?: readonly string[]): Promise<Command> {
  const isWanted = (name: string): boolean => words === undefined || words.includes(name);
  const root = new Command('tollgate').description('Operate a running Tollgate gateway.').version(version);
  for (const [name, { description, load }] of Object.entries(groups)) {
    const group = new Command(name).description(description);
    const { commands } = isWanted(name) ? await load() : { commands: [] };
    for (const command of commands) group.addCommand(command(surroundings));
    root.addCommand(group);
  }
  for (const [name, { description, load }] of Object.entries(single)) {
    const command = isWanted(name) ? (await load())(surroundings) : new Command(name).option('--json');
    root.addCommand(command.description(description));
  }
  root.addCommand(completion(() => program(surroundings, write), write));
  prepare(root, write);
  return root;
}

const help = new Help();

/** What an option is for, without the empty list that holds where nothing is named. */
function withoutNothing(description: string): string {
  return description.replace(/ \(default: \[\]\)$/, '').replace(/, default: \[\]\)$/, ')');
}

/**
 * Settings that commander does not hand down to commands made apart: throw instead of exiting, and write
 * where told.
 */
function prepare(command: Command, write: Write): void {
  command
    .exitOverride()
    .configureOutput({ writeOut: write.out, writeErr: write.error })
    .configureHelp({ optionDescription: (option) => withoutNothing(help.optionDescription(option)) })
    .showHelpAfterError('(--help shows how)');
  for (const child of command.commands) prepare(child, write);
}
