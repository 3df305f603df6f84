import { kindInWords } from '@tollgate/contracts/metering';
import { kindInDescription } from './description';

/**
 * What a column of an invoice may hold. `day` and `usd` must be there; `more_usd` is added to it. `model` and
 * `kind` are names, `description` is a text that has both; `service` and `category` say which lines are of
 * models at all. `unit`: what `quantity` counts.
 */
export const invoiceColumns = [
  'day',
  'usd',
  'model',
  'kind',
  'quantity',
  'request_id',
  'currency',
  'description',
  'unit',
  'more_usd',
  'service',
  'category',
] as const;
export type InvoiceColumn = (typeof invoiceColumns)[number];

/** Words for a model and a kind, empty where there are none. */
interface Described {
  model: string;
  kind: string;
}

/**
 * The form of a file. `columns`: the names that a column may have, in lower case, those that are preferred
 * first. `kindOf`: the kind that the words of its column mean. `describe`: what a description says.
 * `emptyIsNothing`: a line without an amount says nothing.
 */
export interface InvoiceForm {
  name: string;
  columns: Partial<Record<InvoiceColumn, readonly string[]>>;
  kindOf: (words: string) => string;
  describe: (description: string) => Described;
  emptyIsNothing?: boolean;
}

/** A cloud names model and kind in one text; what has no side, such as units of time, is no model's. */
function described(description: string): Described {
  const kind = kindInDescription(description);
  return { model: kind === description ? '' : description, kind };
}

/** Our own form, which any other can be brought into. */
export const ownForm: InvoiceForm = {
  name: 'day, usd and what else there is',
  columns: {
    ...{ day: ['day'], usd: ['usd'], model: ['model'], kind: ['kind'], quantity: ['quantity'] },
    ...{ request_id: ['request_id'], currency: ['currency'] },
  },
  kindOf: kindInWords,
  describe: described,
};

/** The words of Anthropic's console for kinds of tokens and tools. */
const anthropicKinds: Readonly<Record<string, string>> = {
  input_no_cache: 'input',
  input_cache_read: 'cachedInput',
  input_cache_write_5m: 'cacheWrite5m',
  input_cache_write_1h: 'cacheWrite1h',
  web_search: 'webSearch',
  code_execution: 'codeExecution',
};

/**
 * The forms in which providers export what they bill, as their first lines tell them. Pages of the providers
 * name the columns of the clouds; those of consoles are known from public readers of such files.
 */
export const invoiceForms: readonly InvoiceForm[] = [
  {
    // As the costs that the API tells: https://platform.openai.com/docs/api-reference/usage/costs_object
    name: 'the costs of OpenAI’s dashboard',
    columns: {
      ...{ day: ['start_time_iso'], usd: ['amount_value'], currency: ['amount_currency'] },
      ...{ description: ['line_item'], quantity: ['quantity'], unit: ['quantity_unit'] },
    },
    kindOf: kindInWords,
    // `gpt-5-nano, input_tokens`: an item without a comma is no model's, such as a tool.
    describe: (item) => {
      const [model = '', ...rest] = item.split(', ');
      return rest.length === 0 ? { model: '', kind: kindInWords(item) } : { model, kind: kindInWords(rest.join(', ')) };
    },
    emptyIsNothing: true,
  },
  {
    // https://support.anthropic.com/en/articles/9534590-cost-and-usage-reporting-in-console
    name: 'the costs of Anthropic’s console',
    columns: {
      ...{ day: ['usage_date_utc'], usd: ['cost_usd'], model: ['model'] },
      kind: ['token_type', 'cost_type'],
    },
    kindOf: (words) => anthropicKinds[words] ?? kindInWords(words),
    describe: described,
  },
  {
    // https://openrouter.ai/docs/guides/guides/activity-export
    name: 'the activity of OpenRouter',
    columns: {
      ...{ day: ['created_at'], usd: ['cost_total'], more_usd: ['byok_usage_inference'] },
      ...{ model: ['model_permaslug'], request_id: ['generation_id'] },
    },
    kindOf: kindInWords,
    describe: described,
  },
  {
    // https://docs.aws.amazon.com/bedrock/latest/userguide/cost-mgmt-understanding-cur-data.html
    name: 'AWS’s cost and usage report',
    columns: {
      day: ['line_item_usage_start_date', 'lineitem/usagestartdate'],
      usd: ['line_item_unblended_cost', 'lineitem/unblendedcost'],
      currency: ['line_item_currency_code', 'lineitem/currencycode'],
      description: ['line_item_usage_type', 'lineitem/usagetype'],
      quantity: ['line_item_usage_amount', 'lineitem/usageamount'],
      unit: ['pricing_unit', 'pricing/unit'],
      service: ['line_item_product_code', 'lineitem/productcode'],
      category: ['line_item_line_item_type', 'lineitem/lineitemtype'],
    },
    kindOf: kindInDescription,
    describe: described,
  },
  {
    // Of every cloud: https://focus.finops.org/focus-specification/
    name: 'FOCUS',
    columns: {
      ...{ day: ['chargeperiodstart'], usd: ['x_billedcostinusd', 'billedcost'], currency: ['billingcurrency'] },
      description: ['skumeter', 'x_skumetername', 'x_usagetype', 'chargedescription'],
      ...{ quantity: ['consumedquantity'], unit: ['consumedunit'] },
      ...{ service: ['servicename'], category: ['chargecategory'] },
    },
    kindOf: kindInDescription,
    describe: described,
  },
  {
    // https://learn.microsoft.com/en-us/azure/cost-management-billing/automate/understand-usage-details-fields
    name: 'Azure’s cost details',
    columns: {
      ...{ day: ['date', 'usagedatetime'], usd: ['costinusd', 'costinbillingcurrency'] },
      currency: ['billingcurrency', 'billingcurrencycode'],
      ...{ description: ['metername'], quantity: ['quantity'], unit: ['unitofmeasure'] },
      ...{ service: ['metercategory'], category: ['chargetype'] },
    },
    kindOf: kindInDescription,
    describe: described,
  },
  {
    // https://docs.cloud.google.com/billing/docs/how-to/export-data-bigquery-tables/standard-usage
    name: 'Google Cloud’s billing export',
    columns: {
      ...{ day: ['usage_start_time'], usd: ['cost'], currency: ['currency'], category: ['cost_type'] },
      description: ['sku_description', 'sku.description'],
      quantity: ['usage_amount', 'usage.amount'],
      unit: ['usage_unit', 'usage.unit'],
      service: ['service_description', 'service.description'],
    },
    kindOf: kindInDescription,
    describe: described,
  },
];

/** Services of clouds that sell models; other lines of such a bill are left out. */
export const modelServices = /bedrock|openai|foundry|cognitive|vertex|gemini|generative|anthropic|claude|mistral|grok/i;

/** The form that a file's first line is of; null: none that is known, so that it is taken as our own. */
export function formOf(header: readonly string[]): InvoiceForm | null {
  const hasOne = (names: readonly string[] = []): boolean => names.some((name) => header.includes(name));
  const isOf = ({ columns: { day, usd, ...others } }: InvoiceForm): boolean =>
    hasOne(day) && hasOne(usd) && (hasOne(others.description) || hasOne(others.kind) || hasOne(others.request_id));
  return invoiceForms.find(isOf) ?? null;
}
