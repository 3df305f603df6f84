import { budgetsOptions, runBudgets } from './budgets/run';
import { chaosOptions, runChaos } from './chaos/run';
import { clientsOptions, runClients } from './clients/run';
import { clusterOptions, runCluster } from './cluster/run';
import { comeOverOptions, runComeOver } from './come-over/run';
import { composeOptions, runCompose } from './compose/run';
import { freshnessOptions, runFreshness } from './freshness/run';
import { inputOptions, runInput } from './input/run';
import { runInvoice } from './invoice/run';
import { ledgerOptions, runLedger } from './ledger/run';
import { limitsOptions, runLimits } from './limits/run';
import { neighboursOptions, runNeighbours } from './neighbours/run';
import { outagesOptions, runOutages } from './outages/run';
import { pressureOptions, runPressure } from './pressure/run';
import { proof } from './proof';
import type { Proof } from './proof';
import { quotaOptions, runQuota } from './quota/run';
import { restartsOptions, runRestarts } from './restarts/run';
import { modelsOptions, runModels } from './models/run';
import { runServers, serversOptions } from './servers/run';
import { runSoak, soakOptions } from './soak/run';
import { runTenants } from './tenants/run';
import { runUpgrade, upgradeOptions } from './upgrade/run';
import { runUrls } from './urls/run';
import { runWeb, webOptions } from './web/run';

/** Every proof, in the order in which `npm run prove -- all` plays them: the short ones first. */
export const proofs: readonly Proof[] = [
  proof({
    name: 'tenants',
    proves: 'no tenant sees another, nor that it exists',
    promises: [19],
    options: {},
    run: runTenants,
  }),
  proof({
    name: 'urls',
    proves: 'no address from a request is ever connected to',
    promises: [21],
    options: {},
    run: runUrls,
  }),
  proof({
    name: 'invoice',
    proves: '340 raw answers of providers cost what their printed prices say, to the nano-dollar',
    promises: [],
    options: {},
    run: runInvoice,
  }),
  proof({
    name: 'models',
    proves:
      'every model of the catalog takes what it offers, on every surface, and is charged to the token and the nano-dollar',
    promises: [],
    options: modelsOptions,
    run: runModels,
  }),
  proof({
    name: 'clients',
    proves: 'programs and libraries of others work unmodified, on a model of every dialect (needs npm, PyPI and Go)',
    promises: [],
    options: clientsOptions,
    run: runClients,
  }),
  proof({
    name: 'servers',
    proves: "servers of one's own answer through the gateway as they do themselves (needs PyPI)",
    promises: [],
    options: serversOptions,
    run: runServers,
  }),
  proof({
    name: 'come-over',
    proves: 'callers of LiteLLM go on with their keys, models and paths, and its sums are ours (needs PyPI)',
    promises: [],
    options: comeOverOptions,
    run: runComeOver,
  }),
  proof({
    name: 'freshness',
    proves: 'usage is visible, and changed keys act on every edge, at once',
    promises: [4, 8],
    options: freshnessOptions,
    run: runFreshness,
  }),
  proof({
    name: 'quota',
    proves: 'no quota is overspent by asking at once, and reservations go away',
    promises: [9],
    options: quotaOptions,
    run: runQuota,
  }),
  proof({
    name: 'budgets',
    proves:
      'no budget of money is overspent by asking at once while its parts are killed, and what it held is free again',
    promises: [25],
    options: budgetsOptions,
    run: runBudgets,
  }),
  proof({
    name: 'limits',
    proves: 'never more requests of a key in 60 s than its limit, over all edges; Retry-After is true',
    promises: [1, 2, 3],
    options: limitsOptions,
    run: runLimits,
  }),
  proof({
    name: 'pressure',
    proves: 'a caller who leaves ends the request at the provider; overload is shed; slow callers hurt nobody',
    promises: [6, 13, 18],
    options: pressureOptions,
    run: runPressure,
  }),
  proof({
    name: 'neighbours',
    proves: 'what others get does not depend on one caller: a steady caller beside one attacker after the other',
    promises: [23],
    options: neighboursOptions,
    run: runNeighbours,
  }),
  proof({
    name: 'input',
    proves: 'no input is answered with a 5xx, and every refusal has the same form',
    promises: [22],
    options: inputOptions,
    run: runInput,
  }),
  proof({
    name: 'web',
    proves: 'every page of the dashboard is quick, still and light with a million requests in the ledger',
    promises: [35],
    options: webOptions,
    run: runWeb,
  }),
  proof({
    name: 'restarts',
    proves: 'rolling restarts and scaling lose nothing',
    promises: [15],
    options: restartsOptions,
    run: runRestarts,
  }),
  proof({
    name: 'upgrade',
    proves: 'the release before becomes this one, and this one that, service by service under load: nothing fails',
    promises: [],
    options: upgradeOptions,
    run: runUpgrade,
  }),
  proof({
    name: 'outages',
    proves: 'generations go on without Postgres, and NATS heals',
    promises: [16, 17],
    options: outagesOptions,
    run: runOutages,
  }),
  proof({
    name: 'chaos',
    proves: 'what callers may rely on while any part is stopped, killed, frozen, cut off, slow or full',
    promises: [],
    options: chaosOptions,
    run: runChaos,
  }),
  proof({
    name: 'ledger',
    proves:
      'callers, providers and bill agree to the token, and to the nano-dollar of tiers, tools, advisers and caches, while everything is killed, frozen and restarted',
    promises: [5, 7],
    options: ledgerOptions,
    run: runLedger,
  }),
  proof({
    name: 'soak',
    proves: 'memory, handles and subscriptions of every process are flat over an hour of everything that callers do',
    promises: [27],
    options: soakOptions,
    run: runSoak,
  }),
  proof({
    name: 'cluster',
    proves:
      'the end, the silence or the upgrade of a NATS node or a service, and a standby that takes over, cut no answer and lose no event',
    promises: [31],
    options: clusterOptions,
    run: runCluster,
  }),
  proof({
    name: 'compose',
    proves: 'docs/operate.md does what it says, in containers (needs Docker)',
    promises: [],
    options: composeOptions,
    run: runCompose,
  }),
];
