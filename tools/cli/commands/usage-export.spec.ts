import { ran } from '../ran.fixture';

const day = {
  ...{ day: '2026-12-31', keyId: 'k1', accountId: 'a1', model: 'openai/gpt-5.4-mini', provider: 'azure', requests: 3 },
  ...{ unpricedRequests: 1, inputTokens: 100, cachedInputTokens: 40, outputTokens: 20, reasoningTokens: 5 },
  costNanoUsd: '1500',
};
const failed = { ...day, keyId: 'gone', inputTokens: 0, outputTokens: 0, costNanoUsd: '0' };
const pages = [
  { days: [day], next: 'further' },
  { days: [failed], next: null },
];
const limits = { keyStatus: 'active', accountStatus: 'active', plan: 'pro', rpm: null, quotaTokens: null };
const settings = { models: [], cacheTtlS: null, logContent: false, tellCost: false, project: 'web', expiresAt: null };
const key = {
  ...{
    id: 'k1',
    accountId: 'a1',
    version: 1,
    name: 'shop "one", new',
    display: 'tg_sk_…abcd',
    accountName: 'Ada',
    createdAt: 1,
    tags: ['team=search', 'prod', 'team=ads'],
  },
  ...{ ownLimits: { rpm: 'plan', quotaTokens: 'plan' }, ...limits, ...settings },
};
const replies = () => [...pages, { keys: [key], next: null }];

/** The lines as records by the names of the first. No cell of these has a line break. */
function records(csv: string): Record<string, string>[] {
  const [names = [], ...rows] = csv
    .trimEnd()
    .split('\n')
    .map((line) =>
      Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) =>
        quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
      ),
    );
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ''])));
}

/** https://focus.finops.org/focus-specification/v1-2/: all columns of the feature level "Mandatory". */
const mandatory = [
  ...['BilledCost', 'BillingAccountId', 'BillingAccountName', 'BillingCurrency', 'BillingPeriodEnd'],
  ...['BillingPeriodStart', 'ChargeCategory', 'ChargeClass', 'ChargeDescription', 'ChargePeriodEnd'],
  ...['ChargePeriodStart', 'ContractedCost', 'EffectiveCost', 'InvoiceIssuerName', 'ListCost', 'PricingQuantity'],
  ...['PricingUnit', 'ProviderName', 'PublisherName', 'ServiceCategory', 'ServiceName'],
];

describe('usage export', () => {
  const command = 'usage export --from 2026-12-30 --to 2026-12-31';

  it('is of an account by its e-mail address, too', async () => {
    const known = { name: 'A', email: 'a@example.com', status: 'active', plan: 'beta', createdAt: 0, id: 'a1' };
    const account = { ...known, purpose: '', keys: 1, role: null };
    const { asked } = await ran(`${command} --account a@example.com`, [
      { accounts: [account], next: null },
      ...replies(),
    ]);
    expect(asked.slice(1)).toMatchObject([{ accountId: 'a1' }, { after: 'further' }, { accountId: 'a1' }]);
  });

  it('reads every page, and gives CSV with names and dollars', async () => {
    const accountId = '01930000-0000-7000-8000-000000000000';
    const { asked, out } = await ran(`${command} --account ${accountId}`, replies());
    expect(asked).toMatchObject([
      { subject: 'metering.reports.days', from: '2026-12-30', to: '2026-12-31', accountId },
      { subject: 'metering.reports.days', after: 'further' },
      { subject: 'accounts.keys.list', accountId },
    ]);
    expect(records(out)).toMatchObject([
      {
        day: '2026-12-31',
        keyName: 'shop "one", new',
        accountName: 'Ada',
        project: 'web',
        costUsd: '0.0000015',
        requests: '3',
        tags: 'team=search,prod,team=ads',
      },
      { keyId: 'gone', keyName: '', project: '', costUsd: '0' },
    ]);
  });

  it('gives the columns of FOCUS, with nothing that it says must be there left out', async () => {
    const [row, other] = records((await ran(`${command} --format focus`, replies())).out);
    expect(Object.keys(row ?? {})).toEqual(expect.arrayContaining(mandatory));
    expect(row).toMatchObject({
      ...{ BilledCost: '0.0000015', EffectiveCost: '0.0000015', BillingCurrency: 'USD', ChargeCategory: 'Usage' },
      ...{ BillingPeriodStart: '2026-12-01T00:00:00Z', BillingPeriodEnd: '2027-01-01T00:00:00Z' },
      ...{ ChargePeriodStart: '2026-12-31T00:00:00Z', ChargePeriodEnd: '2027-01-01T00:00:00Z', ChargeClass: '' },
      ...{ ConsumedQuantity: '120', ConsumedUnit: 'Tokens', PricingQuantity: '120', PricingUnit: 'Tokens' },
      ...{ ProviderName: 'azure', PublisherName: 'openai', ServiceName: 'openai/gpt-5.4-mini', ResourceId: 'k1' },
      ...{
        ResourceName: 'shop "one", new',
        BillingAccountName: 'Ada',
        SubAccountName: 'web',
        x_CachedInputTokens: '40',
        // A tag without a value is true, and each name has one value: the first.
        Tags: '{"team":"search","prod":true}',
      },
    });
    expect(other).toMatchObject({
      PricingQuantity: '3',
      PricingUnit: 'Requests',
      ResourceName: '',
      BilledCost: '0',
      Tags: '',
    });
  });

  it('gives JSON', async () => {
    const { out } = await ran(`${command} --format json`, replies());
    expect(JSON.parse(out)).toEqual({
      days: [
        {
          ...day,
          keyName: 'shop "one", new',
          project: 'web',
          accountName: 'Ada',
          tags: ['team=search', 'prod', 'team=ads'],
        },
        { ...failed, keyName: null, project: null, accountName: null, tags: [] },
      ],
    });
  });

  it('says of a day that is none which option had it, and how days are written', async () => {
    await expect(ran('usage export --from 2026-13-01 --to 2026-12-01', [])).rejects.toThrow(
      "option '--from <day>' argument '2026-13-01' is invalid. Give a day such as 2026-11-01.",
    );
    await expect(ran('reconcile --to today', [])).rejects.toThrow("'--to <day>' argument 'today' is invalid.");
    await expect(ran('invoices requests openai 2026-11-31 a b', [])).rejects.toThrow('Give a day such as 2026-11-01.');
  });

  it('asks for no names where there is nothing', async () => {
    const { asked } = await ran(command, [{ days: [], next: null }]);
    expect(asked).toHaveLength(1);
  });
});
