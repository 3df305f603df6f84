import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { z } from 'zod';
import { fromBifrostGovernance } from './bifrost-accounts';
import { bifrostGovernance } from './bifrost-governance';
import { modelsOf } from './bifrost-models';
import { bifrostProvider } from './bifrost-provider';
import { tellOthers } from './bifrost-settings';
import type { ImportedAccounts } from './imported-accounts';
import type { KnownModels } from './model-entries';
import { ProviderEntries } from './provider-entries';
import type { SettingsReport } from './settings-report';
import type { WrittenModel, WrittenProvider } from './written-file';

/**
 * Bifrost's config.json, as far as it is read.
 * https://docs.getbifrost.ai/deployment-guides/config-json/schema-reference
 */
const bifrostConfig = z
  .looseObject({
    version: z.number().nullish(),
    providers: z.record(z.string(), bifrostProvider).nullish(),
    governance: bifrostGovernance.nullish(),
  })
  .refine(({ providers, governance }) => providers != null || governance != null, 'needs providers or governance');
type BifrostConfig = z.output<typeof bifrostConfig>;

/** Fields of a provider's key that say what it may not be asked for. */
const bounding: ReadonlySet<unknown> = new Set(['models', 'blacklisted_models', 'enabled']);

/**
 * What bounds a key goes with the key, so that none comes with less of a bound than it had: limits are of
 * many keys, and so of all of `governance`.
 */
export const bifrostFile = {
  schema: bifrostConfig,
  what: 'config.json of Bifrost',
  goesWith: (path: readonly PropertyKey[]): number => {
    if (path[0] === 'governance') return path[1] === 'virtual_keys' && path.length > 2 ? 3 : 1;
    return path[0] === 'providers' && path[2] === 'keys' && bounding.has(path[4]) ? 4 : path.length;
  },
};

/** What a reading needs besides the file. `plan` is that of every account, `nowMs` decides what is over. */
interface Context {
  builtIn: readonly ProviderDefinition[];
  known: KnownModels;
  environment: NodeJS.ProcessEnv;
  plan: string;
  nowMs: number;
  report: SettingsReport;
}

/** Makes entries of tollgate.yaml, accounts, keys and budgets of Bifrost's configuration. */
export function fromBifrostConfig(
  config: BifrostConfig,
  { builtIn, known, environment, plan, nowMs, report }: Context,
): { sections: { providers: WrittenProvider[]; models: WrittenModel[] }; people: ImportedAccounts } {
  const { providers: said, governance, ...others } = config;
  const byId = new Map(builtIn.map((provider) => [provider.id, provider]));
  const providers = new ProviderEntries(byId, report, 'providers.keys.value');
  // Up to 1.4 an empty list meant everything.
  const allWhenEmpty = config.version === 1;
  const ids = new Map<string, string>();
  const context = { builtIn: byId, known, environment, providers, allWhenEmpty, ids, report };
  const models = Object.entries(said ?? {}).flatMap(([name, one]) => modelsOf(name, one, context));
  const people = fromBifrostGovernance(governance ?? bifrostGovernance.parse({}), {
    plan,
    environment,
    allWhenEmpty,
    ids,
    report,
    nowMs,
  });
  const rest = Object.entries(governance ?? {}).filter(([name]) => !Object.hasOwn(bifrostGovernance.shape, name));
  tellOthers({ ...others, ...(rest.length > 0 && { governance: Object.fromEntries(rest) }) }, report);
  return { sections: { providers: providers.entries, models }, people };
}
