import { dialectName } from '@tollgate/contracts';
import { administrationOperations } from '@tollgate/contracts/accounts';
import {
  liveProviderOperations,
  providerKeyName,
  serverNames,
  type LiveProvider,
  type ServerName,
} from '@tollgate/contracts/catalog';
import { adminActOf } from '@tollgate/contracts/edge';
import { sealProviderKey } from '@tollgate/sealing';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import { readGivenKey } from '../arguments/given-key';
import { Refusal } from '../failure';
import { doRecorded, type Surroundings } from '../gateway';
import { table } from '../text/table';
import { instant } from '../text/values';

const { list, set, remove, sealingFor, setKey, removeKey, reseal } = liveProviderOperations;

/** `providers list`: providers that are set without the file, and their keys. */
export function providersList({ gateway, output }: Surroundings): Command {
  return new Command('list')
    .description('show providers that are set without tollgate.yaml, whether they hold, and their keys')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { providers, sealing } = await gateway.call(list, {});
      output.show({ providers, sealing }, json, () =>
        [providerTable(providers), ...(sealing ? [] : [`\n${noKey}`])].join('\n'),
      );
    });
}

const noKey = 'No inference instance has a TOLLGATE_KEY_ENCRYPTION_KEY: keys can neither be given nor be used.';

function providerTable(providers: readonly LiveProvider[]): string {
  if (providers.length === 0) return 'No provider is set without tollgate.yaml.';
  return table(
    ['provider', 'address', 'holds', 'keys', 'what is wrong'],
    providers.map(({ provider, baseUrl, problem, keys }) => [
      provider,
      baseUrl ?? '',
      problem === null ? 'yes' : 'NO',
      keys.map(toldKey).join('; '),
      [problem, ...keys.map((key) => key.problem)].filter((each) => each !== null).join(' '),
    ]),
  );
}

function toldKey({ name, lastFour, setAt, setBy }: LiveProvider['keys'][number]): string {
  return `${name}${lastFour === null ? '' : ` …${lastFour}`} (${setBy}, ${instant(setAt)})`;
}

interface SetOptions {
  baseUrl?: string;
  preset?: ServerName;
  dialect?: z.output<typeof dialectName>;
  name?: string;
  models?: 'discover' | 'never';
  withoutKey?: boolean;
  reason?: string;
  json?: boolean;
}

/** `providers set`: a provider without the file. */
export function providersSet({ gateway, output, actor }: Surroundings): Command {
  return new Command('set')
    .description('set a provider without tollgate.yaml and without a restart, or change what of it is said')
    .argument('<provider>', 'its id: one of the release, or of your own')
    .option('--base-url <address>', 'where a provider of your own is, such as https://models.example.com/v1')
    .addOption(new Option('--preset <server>', 'which server it is').choices(serverNames))
    .addOption(
      new Option('--dialect <format>', 'what it speaks; chat completions by default').choices(dialectName.options),
    )
    .option('--name <name>', 'what people call it')
    .addOption(
      new Option('--models <what>', 'whether models are taken from its own list').choices(['discover', 'never']),
    )
    .option('--without-key', 'it needs no key')
    .option('--reason <text>', 'why, for the history')
    .option('--json', 'print JSON')
    .action(async (provider: string, { json, withoutKey, ...fields }: SetOptions) => {
      const asked = { provider, ...fields, ...(withoutKey && { keys: [] }) };
      const outcome = await doRecorded({ gateway, actor }, set, asked);
      output.show(outcome, json, () => settledText(outcome));
    });
}

/** `providers key`: gives a key, which nothing tells again. */
export function providersKey({ gateway, output, actor }: Surroundings): Command {
  return new Command('key')
    .description('give a key of a provider, read from what comes in, or typed unseen; nothing tells it again')
    .argument('<provider>', 'its id')
    .option('--name <name>', 'which of its keys', readKeyName, 'main')
    .option('--for <address>', 'only where this is the address of the provider')
    .option('--remove', 'remove it in place of giving one')
    .option('--json', 'print JSON')
    .action(async (provider: string, options: { name: string; for?: string; remove?: boolean; json?: boolean }) => {
      const { name, remove: isRemoved, json } = options;
      const asked = { provider, name };
      if (isRemoved) {
        const outcome = await doRecorded({ gateway, actor }, removeKey, asked);
        return output.show(outcome, json, () => settledText(outcome));
      }
      const to = await gateway.call(sealingFor, { provider });
      if (options.for !== undefined && options.for !== to.baseUrl)
        throw new Refusal(`${provider} is at ${to.baseUrl}, and not at ${options.for}. The key is not given.`);
      const key = await readGivenKey(`Key ${name} of ${provider} (${to.baseUrl}): `);
      await gateway.call(administrationOperations.recordAct, { ...adminActOf(setKey, asked), actor });
      const outcome = await gateway.call(setKey, { ...asked, ...sealProviderKey(provider, name, key, to), by: actor });
      output.show(outcome, json, () => settledText(outcome));
    });
}

/** `providers remove`: out of the settings, with its keys. */
export function providersRemove({ gateway, output, actor }: Surroundings): Command {
  return new Command('remove')
    .description('take a provider out of the settings, and its keys out of the database')
    .argument('<provider>', 'its id')
    .option('--reason <text>', 'why, for the history')
    .option('--json', 'print JSON')
    .action(async (provider: string, { json, reason }: { json?: boolean; reason?: string }) => {
      const outcome = await doRecorded({ gateway, actor }, remove, { provider, reason });
      output.show(outcome, json, () => `${provider} is removed. Version ${outcome.version} of the settings holds.`);
    });
}

const unseenOwn =
  'Not all own keys of accounts were looked at: accounts (or inference) could not be asked. Run it again before the former key is taken away.';

/**
 * `providers reseal`: after the key-encryption key was changed.
 * @throws Refusal when a key cannot be opened or was not looked at, after all others were sealed.
 */
export function providersReseal({ gateway, output, actor }: Surroundings): Command {
  return new Command('reseal')
    .description('seal keys again that are sealed with a former TOLLGATE_KEY_ENCRYPTION_KEY')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      await gateway.call(administrationOperations.recordAct, { ...adminActOf(reseal, {}), actor });
      const outcome = await gateway.call(reseal, { by: actor }, { timeoutMs: 30_000 });
      const { resealed, failed, failedOwn = [], ownUnseen = false } = outcome;
      output.show(outcome, json, () => `${resealed} ${resealed === 1 ? 'key is' : 'keys are'} sealed again.`);
      const left = [
        ...failed.map(({ provider, name }) => `${name} of ${provider}`),
        ...failedOwn.map(({ account, provider, project }) => {
          const whose = project === undefined ? account : `the project ${project} of ${account}`;
          return `the own key of ${provider} of ${whose}`;
        }),
      ];
      const refusals = [
        ...(left.length > 0 ? [`Inference cannot open: ${left.join(', ')}. Give them again.`] : []),
        ...(ownUnseen ? [unseenOwn] : []),
      ];
      if (refusals.length > 0) throw new Refusal(refusals.join(' '));
    });
}

function settledText({ version, provider: { provider, baseUrl, problem, keys } }: z.output<typeof set.reply>): string {
  const told = keys.map((key) => `Key ${toldKey(key)}. ${key.problem ?? ''}`.trim());
  const at = baseUrl === null ? '' : ` at ${baseUrl}`;
  const holds = problem === null ? `${provider}${at} holds, from version ${version} of the settings.` : problem;
  return [holds, ...told].join('\n');
}

function readKeyName(typed: string): string {
  const { data, error } = providerKeyName.safeParse(typed);
  if (data === undefined) throw new InvalidArgumentError(error?.issues[0]?.message ?? 'is no name');
  return data;
}
