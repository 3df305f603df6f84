import type { ServedBy } from '@tollgate/contracts';
import { mostOwnKeyCharacters, ownKeyOperations, takesNoOwnKeys, type OwnKey } from '@tollgate/contracts/accounts';
import { projectName } from '@tollgate/contracts/metering';
import { sealOwnKey } from '@tollgate/sealing';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { readGivenKey } from '../arguments/given-key';
import { Refusal } from '../failure';
import type { MakeCommand, Surroundings } from '../gateway';
import { table } from '../text/table';
import { instant } from '../text/values';

export const commands: readonly MakeCommand[] = [ownKeysList, ownKeysSet, ownKeysFallBack, ownKeysRemove];

const { list, set, remove, change, setForProject, removeForProject, changeForProject } = ownKeyOperations;
const whose = 'the account, by its id or address';
const ofProject = ['--project <name>', 'for its keys of this project alone', readProject] as const;

const fallingBack =
  'its requests go on with the operator’s key, at its prices, where it is refused or limited; neither: as with the key before';

interface Options {
  json?: boolean;
  project?: string;
}

/** `fallBack` absent: as it was. */
interface SetOptions extends Options {
  fallBack?: boolean;
}

/** `own-keys list`: keys of providers that an account brought. */
function ownKeysList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show keys of providers that an account brought, and which providers take some')
    .argument('<account>', whose)
    .option('--json', 'print JSON')
    .action(async (account: string, { json }: { json?: boolean }) => {
      const told = await gateway.call(list, { account });
      output.show(told, json, () => {
        const takers = told.providers.map(({ id }) => id).join(', ') || 'none';
        return `${keyTable([...told.keys, ...told.projectKeys])}\nProviders that take own keys: ${takers}.`;
      });
    });
}

/** `own-keys set`: gives one for an account, which nothing tells again. */
function ownKeysSet({ gateway, output, actor }: Surroundings): Command {
  return new Command('set')
    .description('give a key of a provider for an account, read from what comes in, or typed unseen')
    .argument('<account>', whose)
    .argument('<provider>', 'its id')
    .option(...ofProject)
    .option('--fall-back', fallingBack)
    .option('--no-fall-back', 'what it is refused for is the answer, as it is unless you choose otherwise')
    .option('--json', 'print JSON')
    .action(async (account: string, provider: string, { json, project, fallBack: fallsBack }: SetOptions) => {
      const taking = await gateway.call(list, { account });
      const { accountId, sealing, providers } = taking;
      const taker = providers.find(({ id }) => id === provider);
      if (!taker) throw new Refusal(takesNoOwnKeys(provider, taking));
      if (!sealing) throw new Refusal('No inference instance has a TOLLGATE_KEY_ENCRYPTION_KEY: no key can be given.');
      const key = await readGivenKey(`Key of ${provider} (${taker.baseUrl}): `);
      if (key.length > mostOwnKeyCharacters) throw new Refusal(`A key has at most ${mostOwnKeyCharacters} characters.`);
      const sealed = sealOwnKey(accountId, provider, key, { sealing, baseUrl: taker.baseUrl });
      const asked = { account: accountId, provider, ...sealed, fallsBack, actor };
      const outcome = await (project === undefined
        ? gateway.call(set, asked)
        : gateway.call(setForProject, { ...asked, project }));
      output.show(outcome, json, () => keyTable([outcome.key]) + fallBackNote(outcome.key, providers, fallsBack));
    });
}

/** `own-keys fall-back`: changes that choice, without the key being given again. */
function ownKeysFallBack({ gateway, output, actor }: Surroundings): Command {
  return new Command('fall-back')
    .description(
      'choose whether requests go on with the operator’s key, at its prices, where one is refused or limited',
    )
    .argument('<account>', whose)
    .argument('<provider>', 'its id')
    .addArgument(new Argument('<choice>', 'on or off').choices(['on', 'off']))
    .option(...ofProject)
    .option('--json', 'print JSON')
    .action(async (account: string, provider: string, choice: string, { json, project }: Options) => {
      const { providers } = await gateway.call(list, { account });
      const asked = { account, provider, fallsBack: choice === 'on', actor };
      const outcome = await (project === undefined
        ? gateway.call(change, asked)
        : gateway.call(changeForProject, { ...asked, project }));
      output.show(outcome, json, () => keyTable([outcome.key]) + fallBackNote(outcome.key, providers));
    });
}

/** `own-keys remove`: requests go with the operator's key again, if there is one. */
function ownKeysRemove({ gateway, output, actor }: Surroundings): Command {
  return new Command('remove')
    .description(
      'remove a key that an account brought, for good: its requests go with the operator’s again, or nowhere where there is none',
    )
    .argument('<account>', whose)
    .argument('<provider>', 'its id')
    .option(...ofProject)
    .option('--json', 'print JSON')
    .action(async (account: string, provider: string, { json, project }: Options) => {
      const asked = { account, provider, actor };
      const outcome = await (project === undefined
        ? gateway.call(remove, asked)
        : gateway.call(removeForProject, { ...asked, project }));
      output.show(outcome, json, () => 'The key is removed.');
    });
}

function readProject(typed: string): string {
  const { data, error } = projectName.safeParse(typed);
  if (data === undefined) throw new InvalidArgumentError(error?.issues[0]?.message ?? 'is no name');
  return data;
}

/** What else is to be known of a choice; empty: nothing. `wanted` undefined: none was made now. */
function fallBackNote(
  { provider, fallsBack }: OwnKey,
  takers: ServedBy<typeof ownKeyOperations>['list']['reply']['providers'],
  wanted?: boolean,
): string {
  if (wanted && !fallsBack) return '\nThe gateway is of a release that knows of no fall back: the key has none.';
  const isOperated = takers.find(({ id }) => id === provider)?.operated ?? true;
  if (!fallsBack || isOperated) return '';
  return `\nThe gateway has no key of its own for ${provider}. Of models that it reaches nowhere else there is nothing to fall back to: what the key is refused for stays the answer until there is one.`;
}

function keyTable(keys: readonly (OwnKey & { project?: string })[]): string {
  if (keys.length === 0) return 'The account brought no keys.';
  return table(
    ['provider', 'project', 'ends in', 'given by', 'at', 'falls back', 'what is wrong'],
    keys.map(({ provider, project, lastFour, setBy, setAt, fallsBack, problem }) => [
      provider,
      project ?? '',
      lastFour === null ? '' : `…${lastFour}`,
      setBy,
      instant(setAt),
      fallsBack ? 'yes' : 'no',
      problem ?? '',
    ]),
  );
}
