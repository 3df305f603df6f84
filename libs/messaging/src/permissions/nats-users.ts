import { instanceSubjects, usageStream } from '@tollgate/contracts';
import {
  accountsOperations,
  accountsSubjects,
  administrationOperations,
  adminTokenOperations,
  directoryOperations,
  importOperations,
  memberOperations,
  ownKeyOperations,
  ownKeyProviderOperations,
  ownKeySealingOperations,
  peopleOperations,
  passkeyOperations,
  secondFactorOperations,
  webhookOperations,
} from '@tollgate/contracts/accounts';
import {
  catalogMemory,
  catalogOperations,
  catalogSubjects,
  incidentOperations,
  liveProviderOperations,
  priceOperations,
  sealingOperations,
  planOperations,
  setGuardrailOperations,
  setModelOperations,
  setFactorOperations,
  setPriceOperations,
  settingsOperations,
} from '@tollgate/contracts/catalog';
import { edgeLimitsSubjects } from '@tollgate/contracts/edge';
import {
  generationSubjects,
  healthSubjects,
  inferenceOperations,
  providerOperations,
} from '@tollgate/contracts/inference';
import {
  billOperations,
  budgetLeaseOperations,
  budgetOperations,
  contentLogOperations,
  contentLogSubjects,
  backgroundOperations,
  conversationOperations,
  guardrailOperations,
  invoiceOperations,
  ledgerOperations,
  meteringOperations,
  refusalOperations,
  reportOperations,
  statementOperations,
  storedResponseOperations,
} from '@tollgate/contracts/metering';

/** Who connects to NATS. `operator`: the CLI and the tools of a checkout. */
export const natsUserNames = ['edge', 'inference', 'catalog', 'accounts', 'metering', 'operator'] as const;
export type NatsUserName = (typeof natsUserNames)[number];

interface WithSubject {
  readonly subject: string;
}

/**
 * What one user does on NATS; it may do nothing else. `serves`: operations that it answers. `asks`:
 * operations that it calls. `publishes` and `hears`: subjects, in which `*`
 * stands for one token. Inboxes follow from these: each user hears its own, and whoever serves may answer
 * into the inboxes of those who ask.
 */
export interface NatsUser {
  serves: readonly WithSubject[];
  asks: readonly WithSubject[];
  publishes: readonly string[];
  hears: readonly string[];
}

const bucketStream = catalogMemory.stream;
const { name: events, consumer, deadLetterName: dead, keptName: kept } = usageStream;
/**
 * Storing usage, seeing whether its stream is still the same, and making it where a new store has none. An
 * existing stream cannot be changed in this way.
 */
const storeUsage = [usageStream.subject, `$JS.API.STREAM.INFO.${events}`, `$JS.API.STREAM.CREATE.${events}`];

export const natsUsers: Record<NatsUserName, NatsUser> = {
  edge: {
    serves: [],
    asks: [
      ...without(accountsOperations, ['listAccounts']),
      ...Object.values(peopleOperations),
      ...Object.values(memberOperations),
      ...Object.values(directoryOperations),
      ...Object.values(secondFactorOperations),
      ...Object.values(passkeyOperations),
      ...Object.values(administrationOperations),
      ...without(adminTokenOperations, ['create']),
      importOperations.take,
      priceOperations.importPrices,
      ...Object.values(webhookOperations),
      ...Object.values(ownKeyOperations),
      ...Object.values(catalogOperations),
      ...Object.values(settingsOperations),
      ...Object.values(planOperations),
      ...Object.values(setModelOperations),
      ...Object.values(setGuardrailOperations),
      ...Object.values(setPriceOperations),
      ...Object.values(setFactorOperations),
      ...Object.values(providerOperations),
      ...Object.values(liveProviderOperations),
      ...Object.values(incidentOperations),
      ...Object.values(meteringOperations),
      ...Object.values(budgetOperations),
      ...without(budgetLeaseOperations, ['reachedNames', 'namesTold']),
      ...without(reportOperations, ['usersOf']),
      ...Object.values(statementOperations),
      ...Object.values(ledgerOperations),
      ...without(invoiceOperations, ['wanted', 'answers', 'store']),
      ...Object.values(contentLogOperations),
      ...Object.values(refusalOperations),
      ...Object.values(guardrailOperations),
      ...Object.values(storedResponseOperations),
      ...Object.values(conversationOperations),
      ...Object.values(backgroundOperations),
    ],
    publishes: [
      generationSubjects.request('*'),
      generationSubjects.offer('*'),
      generationSubjects.control('*'),
      edgeLimitsSubjects.notice,
      edgeLimitsSubjects.loan('*'),
      contentLogSubjects.dropped,
      ...storeUsage,
    ],
    hears: [
      generationSubjects.frames('*.*'),
      edgeLimitsSubjects.notice,
      edgeLimitsSubjects.loan('*'),
      accountsSubjects.keyChanged,
      accountsSubjects.heartbeat,
      catalogSubjects.changed,
      catalogSubjects.inferenceAnnouncement,
      healthSubjects.report,
    ],
  },
  inference: {
    serves: [inferenceOperations, sealingOperations, billOperations].flatMap((all) => Object.values<WithSubject>(all)),
    asks: [
      catalogOperations.snapshot,
      ...[invoiceOperations.wanted, invoiceOperations.answers, invoiceOperations.store],
      guardrailOperations.record,
    ],
    publishes: [
      generationSubjects.frames('*.*'),
      catalogSubjects.inferenceAnnouncement,
      healthSubjects.report,
      ...storeUsage,
    ],
    hears: [
      generationSubjects.request('*'),
      generationSubjects.offer('*'),
      generationSubjects.control('*'),
      catalogSubjects.changed,
    ],
  },
  catalog: {
    serves: [
      ...[
        catalogOperations,
        settingsOperations,
        planOperations,
        setModelOperations,
        setGuardrailOperations,
        priceOperations,
        setPriceOperations,
        setFactorOperations,
        providerOperations,
        liveProviderOperations,
        ownKeyProviderOperations,
        incidentOperations,
      ],
    ].flatMap((all) => Object.values<WithSubject>(all)),
    asks: [inferenceOperations, sealingOperations, ownKeySealingOperations].flatMap((all) =>
      Object.values<WithSubject>(all),
    ),
    publishes: [
      catalogSubjects.changed,
      // The client library looks first whether there is JetStream at all.
      '$JS.API.INFO',
      `$JS.API.STREAM.INFO.${bucketStream}`,
      `$JS.API.STREAM.CREATE.${bucketStream}`,
      `$JS.API.STREAM.MSG.GET.${bucketStream}`,
      `$JS.API.DIRECT.GET.${bucketStream}.>`,
      `$KV.${catalogMemory.bucket}.${catalogMemory.key}`,
    ],
    hears: [catalogSubjects.changed, catalogSubjects.inferenceAnnouncement, healthSubjects.report],
  },
  accounts: {
    serves: [
      ...[accountsOperations, peopleOperations, memberOperations, directoryOperations, secondFactorOperations],
      ...[administrationOperations, passkeyOperations],
      ...[adminTokenOperations, budgetOperations, importOperations, webhookOperations],
      ...[ownKeyOperations, ownKeySealingOperations],
    ].flatMap((all) => Object.values<WithSubject>(all)),
    // Which models end, and whose keys use them; which budgets are nearly spent; what webhooks are told of;
    // what providers said of keys that accounts brought.
    asks: [
      ...[catalogOperations.snapshot, planOperations.list, reportOperations.usersOf],
      ownKeyProviderOperations.list,
      ...without(budgetLeaseOperations, ['acquire', 'renew', 'states', 'windows']),
      ...[reportOperations.usedTokens, meteringOperations.status, invoiceOperations.drift],
      ...[reportOperations.series, reportOperations.listRequests],
    ],
    publishes: [accountsSubjects.keyChanged, accountsSubjects.heartbeat],
    hears: [healthSubjects.report, contentLogSubjects.dropped],
  },
  metering: {
    serves: [
      ...[meteringOperations, reportOperations, statementOperations, ledgerOperations, budgetLeaseOperations],
      ...[
        contentLogOperations,
        refusalOperations,
        guardrailOperations,
        storedResponseOperations,
        conversationOperations,
        backgroundOperations,
        invoiceOperations,
      ],
    ].flatMap((all) => Object.values<WithSubject>(all)),
    asks: [],
    publishes: [
      usageStream.deadLetterSubject,
      `$JS.API.STREAM.CREATE.${events}`,
      `$JS.API.STREAM.CREATE.${dead}`,
      `$JS.API.STREAM.CREATE.${kept}`,
      `$JS.API.STREAM.INFO.${events}`,
      `$JS.API.STREAM.INFO.${dead}`,
      `$JS.API.STREAM.INFO.${kept}`,
      `$JS.API.STREAM.UPDATE.${events}`,
      `$JS.API.STREAM.UPDATE.${dead}`,
      `$JS.API.STREAM.UPDATE.${kept}`,
      // It sees to the copies of every stream.
      `$JS.API.STREAM.INFO.${bucketStream}`,
      `$JS.API.STREAM.UPDATE.${bucketStream}`,
      `$JS.API.STREAM.MSG.GET.${dead}`,
      `$JS.API.STREAM.MSG.GET.${kept}`,
      `$JS.API.STREAM.MSG.DELETE.${dead}`,
      `$JS.API.CONSUMER.CREATE.${events}.${consumer}`,
      `$JS.API.CONSUMER.DURABLE.CREATE.${events}.${consumer}`,
      `$JS.API.CONSUMER.MSG.NEXT.${events}.${consumer}`,
      `$JS.ACK.${events}.${consumer}.>`,
    ],
    hears: [],
  },
  operator: {
    serves: [],
    asks: [
      ...without(accountsOperations, ['resolveKey', 'keyDigest']),
      ...without(adminTokenOperations, ['resolve', 'doOnce', 'createUnder']),
      ...without(memberOperations, ['invited', 'join']),
      secondFactorOperations.reset,
      // Without a session this tells only what can be signed in with.
      peopleOperations.session,
      peopleOperations.listMails,
      ...Object.values(catalogOperations),
      ...Object.values(settingsOperations),
      ...Object.values(liveProviderOperations),
      ...Object.values(planOperations),
      ...Object.values(setModelOperations),
      ...Object.values(setGuardrailOperations),
      ...Object.values(setPriceOperations),
      ...Object.values(setFactorOperations),
      priceOperations.importPrices,
      ...Object.values(inferenceOperations),
      ...Object.values(incidentOperations),
      ...without(meteringOperations, ['acquireLease', 'renewLeases']),
      ...Object.values(budgetOperations),
      ...[budgetLeaseOperations.states, budgetLeaseOperations.names],
      ...Object.values(webhookOperations),
      ...Object.values(ownKeyOperations),
      ...Object.values(importOperations),
      ...Object.values(reportOperations),
      ...Object.values(statementOperations),
      ...Object.values(ledgerOperations),
      ...without(invoiceOperations, ['wanted', 'answers']),
      ...Object.values(billOperations),
      ...without(contentLogOperations, ['record']),
      refusalOperations.list,
      // Whoever reads what others asked writes it down first.
      administrationOperations.recordAct,
      administrationOperations.listPlans,
      administrationOperations.listAudit,
    ],
    publishes: [],
    hears: [healthSubjects.report],
  },
};

/** Where a user's replies arrive: the client library is told this prefix, without the last token. */
export function inboxPrefixOf(user: string): string {
  return `_INBOX.${user}`;
}

function inboxesOf(user: NatsUserName): string {
  return `${inboxPrefixOf(user)}.>`;
}

/** The subjects that one user may publish to and subscribe to, sorted. */
export function permissionsOf(user: NatsUserName): { publish: string[]; subscribe: string[] } {
  const { serves, asks, publishes, hears } = natsUsers[user];
  const served = new Set(serves.map(({ subject }) => subject));
  const instances = subjectsOfInstances(user);
  // A service says something to itself, to see whether all comes once; and the loans of an edge are answered
  // by others.
  const peers = user === 'operator' ? [] : [user];
  const askers = natsUserNames.filter((name) => natsUsers[name].asks.some(({ subject }) => served.has(subject)));
  return {
    publish: sorted([
      ...publishes,
      ...instances.publishes,
      ...asks.map(({ subject }) => subject),
      ...[...askers, ...peers].map(inboxesOf),
    ]),
    subscribe: sorted([...hears, ...instances.hears, ...served, inboxesOf(user)]),
  };
}

/** Every service tells which instances of it run; the CLI asks, and edge does for the dashboard. */
function subjectsOfInstances(user: NatsUserName): Pick<NatsUser, 'publishes' | 'hears'> {
  const { ask, told } = instanceSubjects;
  const isService = user !== 'operator';
  const watches = user === 'edge' || user === 'operator';
  return {
    publishes: [...(isService ? [told] : []), ...(watches ? [ask] : [])],
    hears: [...(isService ? [ask] : []), ...(watches ? [told] : [])],
  };
}

function sorted(subjects: readonly string[]): string[] {
  return [...new Set(subjects)].sort();
}

function without<All extends Record<string, WithSubject>>(
  operations: All,
  names: readonly (keyof All & string)[],
): WithSubject[] {
  return Object.entries<WithSubject>(operations).flatMap(([name, one]) => (names.includes(name) ? [] : [one]));
}
