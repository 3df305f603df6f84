import { administrationOperations } from '@tollgate/contracts/accounts';
import {
  type CatalogModel,
  catalogOperations,
  hoursInWords,
  type Retirement,
  simulatedModels,
} from '@tollgate/contracts/catalog';
import { inferenceOperations, type ModelLook } from '@tollgate/contracts/inference';
import { Command } from 'commander';
import { modelListing, type ListedModel } from '../catalog/model-listing';
import { unlessRemote } from '../failure';
import type { MakeCommand, Surroundings } from '../gateway';
import { table } from '../text/table';
import { limit, unconfirmedMark } from '../text/values';
import { modelsRemove, modelsSet, showSetModels } from './models-set';

interface ListOptions {
  all?: boolean;
  set?: boolean;
  json?: boolean;
}

/** `models list`: the models that callers can use now. */
function modelsList(surroundings: Surroundings): Command {
  const { gateway, output } = surroundings;
  return new Command('list')
    .description('show the models that are live')
    .option('--all', 'also the models whose provider has no credential')
    .option('--set', 'those of which tollgate.yaml or the settings say something, and whether that holds')
    .option('--json', 'print JSON')
    .action(async ({ all, set, json }: ListOptions) => {
      if (set) return showSetModels(surroundings, json);
      const snapshot = await unlessRemote(gateway.call(catalogOperations.snapshot, {}));
      if (snapshot === null) {
        const { data } = await gateway.askEdge(modelListing, {});
        const shown = data.filter(({ available }) => all === true || available);
        return output.show({ models: shown }, json, () =>
          modelTable(
            shown.map(asListed),
            shown.some(({ simulated }) => simulated),
          ),
        );
      }
      const live = new Set(snapshot.available);
      const simulated = simulatedModels(snapshot);
      const models = snapshot.models
        .filter(({ id }) => all === true || live.has(id))
        .map((model) => ({
          ...model,
          live: live.has(model.id),
          simulated: simulated.has(model.id),
          off: snapshot.disabled.includes(model.id),
        }));
      output.show({ sandbox: snapshot.sandbox, models }, json, () => modelTable(models.map(asKnown), snapshot.sandbox));
    });
}

/** A line of the list. `price` null: it is not known. */
interface Row extends Pick<CatalogModel, 'id' | 'status' | 'retirement' | 'contextWindow'> {
  discovered: boolean;
  live: boolean;
  simulated: boolean;
  off: boolean;
  price: {
    input: string | null;
    output: string | null;
    hours: readonly Parameters<typeof hoursInWords>[0][];
    unconfirmed: boolean;
  } | null;
}

type Known = CatalogModel & Pick<Row, 'live' | 'simulated' | 'off'>;

function asKnown({ prices, priceUnconfirmed: unconfirmed, discovered = false, ...model }: Known): Row {
  const price = prices && { ...prices, hours: prices.terms?.hours ?? [], unconfirmed };
  return { ...model, discovered, price };
}

function asListed({ available: live, enabled, pricing: price, ...model }: ListedModel): Row {
  return { ...model, live, off: !enabled, price };
}

function modelTable(models: readonly Row[], sandbox: boolean): string {
  const doubt = models.some(({ price }) => price?.unconfirmed) ? `\n\n${unconfirmedMark}` : '';
  const byHour = models.flatMap(({ id, price }) => {
    const hours = price?.hours ?? [];
    return hours.length === 0 ? [] : [`${id}: ${hours.map(hoursInWords).join('; ')}`];
  });
  const clock = byHour.length === 0 ? '' : `\n\n* Prices at other hours of the day:\n${byHour.join('\n')}`;
  const note = sandbox ? '\n\nThe simulated providers answer for what is marked: no provider credential is set.' : '';
  if (models.length === 0) return `No model is live. Set a provider's API key, or look at all with --all.${note}`;
  const rows = models.map((model) => [
    model.id,
    model.discovered ? 'new' : model.status,
    endOf(model.retirement),
    liveness(model),
    model.contextWindow === null ? 'unknown' : limit(model.contextWindow),
    rate(model, 'input'),
    rate(model, 'output'),
  ]);
  return table(['model', 'status', 'ends', 'live', 'context', '$/M in', '$/M out'], rows) + doubt + clock + note;
}

function liveness({ live, simulated, off }: { live: boolean; simulated: boolean; off: boolean }): string {
  if (live) return simulated ? 'simulated' : 'yes';
  return off ? 'switched off' : 'no';
}

function rate({ price }: Row, kind: 'input' | 'output'): string {
  if (!price) return 'unknown';
  return `${price[kind]}${price.hours.length > 0 ? '*' : ''}${price.unconfirmed ? '?' : ''}`;
}

/** The day, and what to use instead. */
function endOf(end: Retirement | null): string {
  if (!end?.date) return '';
  return end.successor === null ? end.date : `${end.date}, use ${end.successor}`;
}

/** Slow lists are waited for. */
const lookTimeoutMs = 30_000;

/** `models look`: reads the lists of providers now, and shows what they ship and what they lost. */
function modelsLook({ gateway, output }: Surroundings): Command {
  return new Command('look')
    .description("read the providers' own lists of models now, instead of within a day")
    .argument('[provider]', 'this one only')
    .option('--json', 'print JSON')
    .action(async (provider: string | undefined, { json }: { json?: boolean }) => {
      const request = { provider: provider ?? null };
      const { looks } = await gateway.call(inferenceOperations.lookForModels, request, { timeoutMs: lookTimeoutMs });
      output.show({ looks }, json, () => lookTable(looks));
    });
}

/**
 * `models on` and `models off`: whether anybody gets a model; one that its provider's list alone tells of may
 * wait for it.
 */
const modelsOn = (surroundings: Surroundings): Command => command(true, surroundings);
const modelsOff = (surroundings: Surroundings): Command => command(false, surroundings);

function command(enabled: boolean, { gateway, output, actor }: Surroundings): Command {
  const name = enabled ? 'on' : 'off';
  return new Command(name)
    .description(enabled ? 'offer a model, such as a new one that waits for it' : 'offer a model to nobody any more')
    .argument('<id>', 'as models list --all names it')
    .option('--json', 'print JSON')
    .action(async (model: string, { json }: { json?: boolean }) => {
      const action = enabled ? 'model-enabled' : 'model-disabled';
      await gateway.call(administrationOperations.recordAct, { actor, action, detail: { model } });
      const reply = await gateway.call(catalogOperations.setModelEnabled, { model, enabled });
      output.show(reply, json, () => `${model} is ${name}.`);
    });
}

function lookTable(looks: readonly ModelLook[]): string {
  if (looks.length === 0) return 'The models of no provider that can be reached are followed.';
  const rows = looks.map(({ provider, models, came, went }) => [
    provider,
    models === null ? 'gave no list' : String(models),
    came.join(', '),
    went.join(', '),
  ]);
  return `${table(['provider', 'lists', 'came', 'went'], rows)}\n\nmodels list --all shows which of them are new and wait for models on.`;
}

export const commands: readonly MakeCommand[] = [modelsList, modelsSet, modelsRemove, modelsLook, modelsOn, modelsOff];
