import { aModel } from '@tollgate/testing';
import { readInvoice } from './invoice-lines';
import type { BilledModels } from './invoice-lines';

const at = (provider: string, upstreamModel: string, name: string, id = `${provider}/${upstreamModel}`) =>
  aModel({ id, name, deployments: [{ id: `${id}@${provider}`, provider, upstreamModel }] });
const models = [
  aModel({ deployments: [{ id: 'acme/one@acme', provider: 'acme', upstreamModel: 'one-v2' }] }),
  at('openai', 'gpt-5-nano', 'GPT-5 nano'),
  at('anthropic', 'claude-haiku-4-5', 'Claude Haiku 4.5', 'anthropic/claude-haiku-4.5'),
  at('bedrock', 'us.anthropic.claude-sonnet-4-6', 'Claude Sonnet 4.6 (US)'),
  at('bedrock', 'global.anthropic.claude-opus-5', 'Claude Opus 5'),
  at('bedrock', 'us.anthropic.claude-opus-5', 'Claude Opus 5 (US)'),
  at('bedrock', 'eu.anthropic.claude-opus-5', 'Claude Opus 5 (EU)'),
  at('bedrock', 'amazon.nova-2-lite-v1:0', 'Nova 2 Lite'),
  at('azure', 'gpt-4.1', 'GPT-4.1'),
  at('azure', 'gpt-4.1-mini', 'GPT-4.1 mini'),
  at('vertex', 'gemini-2.5-flash', 'Gemini 2.5 Flash'),
  at('openrouter', 'deepseek/deepseek-v4.1-flash', 'DeepSeek V4.1 Flash'),
];
const read = (csv: string, provider = 'acme', names = {}, named: BilledModels['named'] = {}) =>
  readInvoice(csv, { provider, models, named }, names);
const lines = (...args: Parameters<typeof read>) => [...read(...args).days];

it('reads quoted cells, models by the name that the provider gives them, and amounts to the last place', () => {
  const csv =
    '\ufeffday,model,kind,usd,quantity,request_id\r\n2026-11-22,one-v2-2026-01-31,"Cached input",$0.000000000001,12,"a ""b"", c"\r\n\n2026-11-22T23:00:00Z,acme/one,output,-1.5,,\n2026-11-23,other,,2e-3,1e3,\n';
  expect(lines(csv)).toEqual([
    [
      '2026-11-22',
      [
        { model: 'acme/one', kind: 'cachedInput', picoUsd: '1', quantity: 12, requestId: 'a "b", c' },
        { model: 'acme/one', kind: 'output', picoUsd: '-1500000000000', quantity: null, requestId: null },
      ],
    ],
    ['2026-11-23', [{ model: 'acme/other', kind: '', picoUsd: '2000000000', quantity: 1_000, requestId: null }]],
  ]);
});

it.each([
  ['Input tokens', 'input'],
  ['output_tokens', 'output'],
  ['Cached input tokens', 'cachedInput'],
  ['cache_write', 'cacheWrite'],
  ['cacheWrite1h', 'cacheWrite1h'],
  ['Storage_GB', 'Storage_GB'],
])('knows what a file means by %s', (words, kind) => {
  expect(lines(`day,usd,kind\n2026-11-22,1,${words}`)).toMatchObject([['2026-11-22', [{ kind }]]]);
});

it('takes the names that a file has for its columns', () => {
  expect(lines('Date,Cost (USD)\n2026-11-22,1', 'acme', { day: 'date', usd: 'Cost (USD)' })).toMatchObject([
    ['2026-11-22', [{ model: '', kind: '', picoUsd: '1000000000000' }]],
  ]);
});

it.each([
  ['2026-11-22 23:30:00.040', '2026-11-22'],
  ['2026-11-22 23:30:00 UTC', '2026-11-22'],
  ['2026-11-22T23:30:00-08:00', '2026-11-23'],
  ['11/22/2026', '2026-11-22'],
])('knows the day of %s', (day, expected) => {
  expect(lines(`day,usd\n${day},1`).map(([name]) => name)).toEqual([expected]);
});

it.each([
  ['date,usd\n', /no column day.*there are: date, usd/],
  ['', /no column day.*there are: none/],
  ['day,usd\n22.11.2026,1', /Line 2: 22\.11\.2026 is no day/],
  ['day,usd\n2026-02-30,1', /Line 2: 2026-02-30 is no day/],
  ['day,usd\n2026-11-22,1\n2026-11-22,one', /Line 3: one is no amount/],
  ['day,usd\n\n\n2026-11-22,one', /Line 4: one is no amount/],
  ['day,usd,kind\n2026-11-22,1,"a\nb"\n2026-11-22,,x', /Line 4: nothing is no amount/],
  ['day,usd\n2026-11-22,1,234.50', /Line 2 has 3 cells, and the first line has 2/],
  ['day,usd\n2026-11-22', /Line 2 has 1 cells/],
  ['day,usd\n2026-11-22,"1\n2026-11-23,2', /Line 2: a quote that begins here does not end/],
  ['day,usd,quantity\n2026-11-22,1,many', /Line 2: many is no quantity/],
  ['day,usd,currency\n2026-11-22,1,EUR', /Line 2: the amount is in EUR/],
])('says what it cannot read: %j', (csv, words) => {
  expect(() => read(csv)).toThrow(words);
});

describe('the exports of providers', () => {
  it('has the costs of OpenAI by item, and days on which nothing was used say nothing', () => {
    const csv = `start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,quantity,quantity_unit,line_item,project_id
1,2,2026-11-21T00:00:00+00:00,2026-11-22T00:00:00+00:00,,,,,,
1,2,2026-11-22T00:00:00+00:00,2026-11-23T00:00:00+00:00,0.500000000000000000,usd,1000,tokens,"gpt-5-nano, input_tokens",p
1,2,2026-11-22T00:00:00+00:00,2026-11-23T00:00:00+00:00,0.03,usd,,,code interpreter,p
`;
    expect(read(csv, 'openai').form).toContain('OpenAI');
    expect(lines(csv, 'openai')).toEqual([
      [
        '2026-11-22',
        [
          { model: 'openai/gpt-5-nano', kind: 'input', picoUsd: '500000000000', quantity: 1_000, requestId: null },
          { model: '', kind: 'codeSession', picoUsd: '30000000000', quantity: null, requestId: null },
        ],
      ],
    ]);
  });

  it('has the costs of Anthropic by model and token', () => {
    const csv = `usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type,inference_geo,speed
2026-11-22,Claude Haiku 4.5,Default,k,message,≤ 200k,input_no_cache,0.05,0.05,token,not_available,
2026-11-22,Claude Haiku 4.5,Default,k,message,≤ 200k,input_cache_write_1h,0.02,0.02,token,not_available,
2026-11-22,,Default,k,message,,,0.01,0.01,web_search,,
`;
    expect(lines(csv, 'anthropic')).toMatchObject([
      [
        '2026-11-22',
        [
          { model: 'anthropic/claude-haiku-4.5', kind: 'input', picoUsd: '50000000000' },
          { model: 'anthropic/claude-haiku-4.5', kind: 'cacheWrite1h' },
          { model: '', kind: 'webSearch' },
        ],
      ],
    ]);
  });

  it('has the activity of OpenRouter by answer, with what the key of a maker was charged', () => {
    const csv = `generation_id,created_at,cost_total,byok_usage_inference,tokens_prompt,model_permaslug,provider_name
gen-1,2026-11-22 18:54:30.040,0.0021,0.5,100,deepseek/deepseek-v4.1-flash-20260910,DeepSeek
`;
    expect(lines(csv, 'openrouter')).toEqual([
      [
        '2026-11-22',
        [
          {
            ...{ model: 'openrouter/deepseek/deepseek-v4.1-flash', kind: '', picoUsd: '502100000000' },
            ...{ quantity: null, requestId: 'gen-1' },
          },
        ],
      ],
    ]);
  });

  it.each(['line_item_', 'lineItem/'])('has AWS’s report by the type of usage, of Bedrock alone: %s', (prefix) => {
    const names = ['usage_start_date', 'unblended_cost', 'currency_code', 'usage_type', 'usage_amount', 'product_code'];
    const header = [...names, 'line_item_type'].map((name) =>
      prefix === 'line_item_' ? `line_item_${name}` : `lineItem/${name.replaceAll('_', '')}`,
    );
    const row = (usage: string, amount: string, service: string, type = 'Usage') =>
      `2026-11-22T05:00:00Z,${amount},USD,${usage},2.5,1K tokens,${service},${type}`;
    const unit = prefix === 'line_item_' ? 'pricing_unit' : 'pricing/unit';
    const csv = [
      [...header.slice(0, 5), unit, ...header.slice(5)].join(','),
      row('USE1-Claude4.6Sonnet-input-tokens', '0.0075', 'AmazonBedrock'),
      row('USE1-Claude4.6Sonnet-cache-read-input-token-count-cross-region-global', '0.001', 'AmazonBedrock'),
      row('Nova2.0Lite-output-tokens-flex', '0.002', 'AmazonBedrock'),
      row('USE1-Claude9Epic-output-tokens', '0.004', 'AmazonBedrock'),
      row('USE1-BoxUsage:t3.micro', '9', 'AmazonEC2'),
      row('USE1-Claude4.6Sonnet-input-tokens', '0.5', 'AmazonBedrock', 'Tax'),
    ].join('\n');
    const { days, leftOut, unknown } = read(csv, 'bedrock');
    const sonnet = 'bedrock/us.anthropic.claude-sonnet-4-6';
    expect(days.get('2026-11-22')).toMatchObject([
      { model: sonnet, kind: 'input', picoUsd: '7500000000', quantity: 2_500 },
      { model: sonnet, kind: 'cachedInput' },
      { model: 'bedrock/amazon.nova-2-lite-v1:0', kind: 'output' },
      { model: 'bedrock/USE1-Claude9Epic-output-tokens', kind: 'output' },
    ]);
    expect([...leftOut]).toEqual([
      ['AmazonEC2', 9_000_000_000_000n],
      ['Tax', 500_000_000_000n],
    ]);
    expect([...unknown]).toEqual(['USE1-Claude9Epic-output-tokens']);
    expect(read(csv, 'bedrock', {}, { Claude9Epic: sonnet }).unknown.size).toBe(0);
  });

  it.each([
    ['USE1-Claude5Opus-input-tokens-cross-region-global', 'bedrock/global.anthropic.claude-opus-5'],
    ['USE1-Claude5Opus-input-tokens-cross-region-geo', 'bedrock/us.anthropic.claude-opus-5'],
    ['EUC1-Claude5Opus-input-tokens-cross-region-geo', 'bedrock/eu.anthropic.claude-opus-5'],
    ['APS3-Claude5Opus-input-tokens-cross-region-geo', null],
    ['USE1-Claude5Opus-input-tokens', null],
  ])('has of a model that Bedrock sells in several places that of the line, or none: %s', (usage, id) => {
    const csv = `line_item_usage_start_date,line_item_unblended_cost,line_item_usage_type\n2026-11-22T05:00:00Z,1,${usage}\n`;
    expect(lines(csv, 'bedrock')).toMatchObject([['2026-11-22', [{ model: id ?? `bedrock/${usage}`, kind: 'input' }]]]);
  });

  it('has FOCUS, as each cloud exports it', () => {
    const csv = `ChargePeriodStart,BilledCost,BillingCurrency,ServiceName,SkuMeter,ConsumedQuantity,ConsumedUnit,ChargeCategory
2026-11-22T00:00:00Z,0.25,USD,Amazon Bedrock,USE1-Claude4.6Sonnet-output-tokens,10,1K tokens,Usage
2026-11-22T00:00:00Z,1,USD,Amazon S3,Requests,10,Requests,Usage
`;
    expect(read(csv, 'bedrock')).toMatchObject({
      form: 'FOCUS',
      leftOut: new Map([['Amazon S3', 1_000_000_000_000n]]),
    });
    expect(lines(csv, 'bedrock')).toMatchObject([
      ['2026-11-22', [{ model: 'bedrock/us.anthropic.claude-sonnet-4-6', kind: 'output', quantity: 10_000 }]],
    ]);
  });

  it('has Azure’s cost details, in US dollars whatever the account is billed in', () => {
    const csv = `Date,MeterCategory,MeterName,Quantity,UnitOfMeasure,CostInBillingCurrency,CostInUsd,BillingCurrency
11/22/2026,Foundry Models,gpt 4.1 mini Inp glbl Tokens,3,1K,0.0011,0.0012,EUR
11/22/2026,Foundry Models,gpt 4.1 cached Inp glbl Tokens,3,1K,0.0011,0.0012,EUR
11/22/2026,Foundry Models,gpt 4.1 nano Outp glbl Tokens,3,1K,0.0011,0.0012,EUR
11/22/2026,Foundry Models,Provisioned Managed Global Unit,3,1 Hour,2,2,EUR
`;
    const mini = { model: 'azure/gpt-4.1-mini', kind: 'input', picoUsd: '1200000000', quantity: 3_000 };
    expect(lines(csv, 'azure')).toMatchObject([
      [
        '2026-11-22',
        [
          mini,
          { model: 'azure/gpt-4.1', kind: 'cachedInput' },
          { model: 'azure/gpt 4.1 nano Outp glbl Tokens', kind: 'output' },
          { model: '', kind: 'Provisioned Managed Global Unit', quantity: 3 },
        ],
      ],
    ]);
    expect(() => read(csv.replaceAll('CostInUsd', 'Other'), 'azure')).toThrow(/Line 2: the amount is in EUR/);
    // Dollars of the third line are left out: what is there is euros.
    const third = 'gpt 4.1 cached Inp glbl Tokens,3,1K,0.0011,';
    expect(() => read(csv.replace(`${third}0.0012`, third), 'azure')).toThrow(/Line 3: the amount is in EUR/);
  });

  it('has Google Cloud’s billing export', () => {
    const csv = `usage_start_time,cost,currency,service_description,sku_description,usage_amount,usage_unit,cost_type
2026-11-22 08:00:00 UTC,0.3,USD,Vertex AI,Gemini 2.5 Flash GA Text Input - Predictions,1000,count,regular
2026-11-22 08:00:00 UTC,0.4,USD,Vertex AI,Gemini 2.5 Flash Image Output - Predictions,10,count,regular
2026-11-22 08:00:00 UTC,0.1,USD,Vertex AI,Gemini 2.5 Flash Lite Text Input - Predictions,10,count,regular
2026-11-22 08:00:00 UTC,5,USD,Compute Engine,N1 Core,10,seconds,regular
2026-11-22 08:00:00 UTC,0.1,USD,Invoice,Tax,0,,tax
`;
    const flash = 'vertex/gemini-2.5-flash';
    expect(lines(csv, 'vertex')).toMatchObject([
      [
        '2026-11-22',
        [
          { model: flash, kind: 'input', quantity: 1_000 },
          { model: flash, kind: 'imageOutput' },
          { model: 'vertex/Gemini 2.5 Flash Lite Text Input - Predictions', kind: 'input' },
        ],
      ],
    ]);
    expect([...read(csv, 'vertex').leftOut.keys()]).toEqual(['Compute Engine', 'tax']);
  });
});
