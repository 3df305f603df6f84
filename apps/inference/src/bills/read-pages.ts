import { z } from 'zod';
import { askServer } from '../discovery/ask-server';
import { codeOf, plainReason } from '../upstream/plain-reason';
import type { ProviderEndpoint } from '../upstream/provider-endpoint';
import { saidIn } from '../upstream/said-in';

const timeoutMs = 30_000;
const mostPages = 100;

/** Why a bill could not be read: one line for operators, without secrets. */
export class BillProblem extends Error {}

/**
 * Reads all pages below a base URL, which OpenAI and Anthropic frame alike
 * (https://platform.openai.com/docs/api-reference/usage/costs,
 * https://platform.claude.com/docs/en/api/admin/cost_report).
 * `bucket`: the form of one bucket of time. @throws BillProblem
 */
export async function readPages<Bucket extends z.ZodType>(
  endpoint: ProviderEndpoint,
  path: string,
  query: readonly (readonly [string, string])[],
  bucket: Bucket,
): Promise<z.output<Bucket>[]> {
  const page = z.object({
    data: z.array(bucket),
    has_more: z.boolean().default(false),
    next_page: z.string().nullish(),
  });
  const buckets: z.output<Bucket>[] = [];
  let next: string | null = null;
  for (let read = 0; read < mostPages; read++) {
    const asked = new URLSearchParams();
    for (const [name, value] of query) asked.append(name, value);
    if (next) asked.append('page', next);
    const { data, has_more: hasMore, next_page: after } = await readPage(endpoint, `${path}?${asked.toString()}`, page);
    buckets.push(...data);
    if (!hasMore || !after) return buckets;
    next = after;
  }
  throw new BillProblem(`${path} has more than ${mostPages} pages`);
}

async function readPage<Page extends z.ZodType>(
  endpoint: ProviderEndpoint,
  path: string,
  page: Page,
): Promise<z.output<Page>> {
  const read = await readDocument(endpoint, path, page);
  if (read === null) throw new BillProblem(`GET ${addressOf(endpoint, path)} answered 404`);
  return read;
}

/** Reads one document below a base URL. Null: there is none (404). @throws BillProblem */
export async function readDocument<Form extends z.ZodType>(
  endpoint: ProviderEndpoint,
  path: string,
  form: Form,
): Promise<z.output<Form> | null> {
  const asked = `GET ${addressOf(endpoint, path)}`;
  const { status, text } = await askServer(endpoint, path, timeoutMs).catch((error: unknown) => {
    throw new BillProblem(`${asked}: ${plainReason(codeOf(error), endpoint.origin)}`);
  });
  if (status === 404) return null;
  if (status !== 200) throw new BillProblem(`${asked} answered ${status}${saidIn(text, endpoint)}`);
  try {
    return form.parse(JSON.parse(text));
  } catch {
    throw new BillProblem(`${asked} answered what is not in the form that its documentation names`);
  }
}

/** Without the query, which may be long. */
function addressOf({ origin, basePath }: ProviderEndpoint, path: string): string {
  return `${origin}${basePath}${path.split('?')[0]}`;
}
