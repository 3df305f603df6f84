import { catalogOperations, hoursInWords, simulatedModels } from '@tollgate/contracts';
import type { CatalogModel, CatalogSnapshot, Retirement } from '@tollgate/contracts';
import { Command } from 'commander';
import type { Surroundings } from '../gateway';
import { showSetModels } from './models-set';
import { table } from '../text/table';
import { limit, unconfirmedMark } from '../text/values';

interface Options {
  all?: boolean;
  set?: boolean;
  json?: boolean;
}

/** `models list`: the models that callers can use now. */
export function modelsList(surroundings: Surroundings): Command {
  const { gateway, output } = surroundings;
  return new Command('list')
    .description('show the models that are live')
    .option('--all', 'also the models whose provider has no credential')
    .option('--set', 'those of which tollgate.yaml or the settings say something, and whether that holds')
    .option('--json', 'print JSON')
    .action(async ({ all, set, json }: Options) => {
      if (set) return showSetModels(surroundings, json);
      const snapshot = await gateway.call(catalogOperations.snapshot, {});
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
      output.show({ sandbox: snapshot.sandbox, models }, json, () => modelTable(models, snapshot));
    });
}

function modelTable(
  models: (CatalogSnapshot['models'][number] & { live: boolean; simulated: boolean; off: boolean })[],
  { sandbox }: CatalogSnapshot,
): string {
  const doubt = models.some(({ priceUnconfirmed }) => priceUnconfirmed) ? `\n\n${unconfirmedMark}` : '';
  const byHour = models.flatMap(({ id, prices }) => {
    const hours = prices?.terms?.hours ?? [];
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

function rate({ prices, priceUnconfirmed }: CatalogModel, kind: 'input' | 'output'): string {
  if (!prices) return 'unknown';
  return `${prices[kind]}${prices.terms?.hours ? '*' : ''}${priceUnconfirmed ? '?' : ''}`;
}

/** The day, and what to use instead. */
function endOf(end: Retirement | null): string {
  if (!end?.date) return '';
  return end.successor === null ? end.date : `${end.date}, use ${end.successor}`;
}
