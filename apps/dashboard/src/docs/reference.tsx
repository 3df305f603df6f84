import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { get } from '../api/client';
import { Badge } from '../design/badge';
import { CodeBlock } from '../design/code-block';
import { SearchField } from '../design/field';
import { Loaded } from '../design/states';
import { usualModel } from '../models/preferred-model';
import { apiDocument, endpointsOf, partsOf } from './api-description';
import type { ApiDocument, Endpoint, Field } from './api-description';
import styles from './docs.module.css';

const model = usualModel;
const messages = [{ role: 'user', content: 'Hello' }];

/** A body for each endpoint that callers send one to. */
const bodies: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { model, messages },
  '/v1/messages': { model, max_tokens: 1024, messages },
  '/v1/messages/count_tokens': { model, messages },
  '/v1/responses': { model, input: 'Hello' },
  '/v1/responses/input_tokens': { model, input: 'Hello' },
  '/v1/responses/compact': { model, input: 'Hello' },
  '/v1/embeddings': { model: 'openai/text-embedding-3-small', input: 'Hello' },
  '/v1/conversations': { items: [{ type: 'message', role: 'user', content: 'Hello' }] },
};

/** Every endpoint, from the OpenAPI document that this gateway serves. */
export function Reference() {
  const document = useQuery({
    queryKey: ['openapi'],
    queryFn: ({ signal }) => get('/openapi.json', apiDocument, {}, signal),
    staleTime: Infinity,
  });
  return (
    <div className={styles.reference}>
      <h1>Reference</h1>
      <p className="muted">
        Every endpoint. Programs read the same as an OpenAPI document: <a href="/openapi.json">/openapi.json</a>.
      </p>
      <Loaded query={document} lines={10}>
        {(loaded) => <Endpoints document={loaded} />}
      </Loaded>
    </div>
  );
}

function Endpoints({ document }: { document: ApiDocument }) {
  const [typed, setTyped] = useState('');
  const endpoints = useMemo(() => endpointsOf(document), [document]);
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = endpoints.filter(({ method, path, summary }) =>
    words.every((word) => `${method} ${path} ${summary}`.toLowerCase().includes(word)),
  );
  const groups = [
    { name: null, title: 'Models', description: 'For callers, with an API key.' },
    ...(document.tags ?? []).map(({ name, description = '' }) => ({ name, title: name, description })),
  ];
  return (
    <>
      <SearchField label="Find an endpoint" value={typed} onChange={(event) => setTyped(event.target.value)} />
      {groups.map(({ name, title, description }) => {
        const own = shown.filter(({ group }) => group === name);
        if (own.length === 0) return null;
        return (
          <section key={title} className={styles.group} aria-label={title}>
            <h2>{title}</h2>
            <p className="muted">
              <Words text={description} />
            </p>
            {own.map((endpoint) => (
              <EndpointView key={`${endpoint.method} ${endpoint.path}`} endpoint={endpoint} />
            ))}
          </section>
        );
      })}
      {shown.length === 0 && <p className="muted">No endpoint has these words.</p>}
    </>
  );
}

/** What it takes and answers shows once somebody opens it: there are many. */
function EndpointView({ endpoint }: { endpoint: Endpoint }) {
  const [open, setOpen] = useState(false);
  const { method, path, summary, parameters, body, answer } = endpoint;
  const example = exampleFor(endpoint, location.origin);
  return (
    <details className={styles.endpoint} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Badge tone={method === 'GET' ? 'plain' : 'accent'}>{method}</Badge>
        <code className="break">{path}</code>
        <span className="muted">
          <Words text={summary} />
        </span>
      </summary>
      {open && (
        <div className={styles.opened}>
          {example !== null && <CodeBlock code={example} name={`example of ${method} ${path}`} />}
          <Fields title="Parameters" fields={parameters} />
          <Fields title="Body" fields={body} />
          <Fields title="Answer" fields={answer} />
        </div>
      )}
    </details>
  );
}

/** What stands between backticks is code; of an odd one nothing is known. */
function Words({ text }: { text: string }) {
  return partsOf(text).map(({ at, part, isCode }) => (isCode ? <code key={at}>{part}</code> : part));
}

function Fields({ title, fields }: { title: string; fields: Field[] }) {
  if (fields.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <div className={styles.table} tabIndex={0} role="region" aria-label={`${title}, table`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Type</th>
              <th scope="col">What</th>
            </tr>
          </thead>
          <tbody>
            {fields.map(({ name, type, required, description }) => (
              <tr key={name}>
                <td>
                  <code>{name}</code> {required && <Badge>required</Badge>}
                </td>
                <td>{type}</td>
                <td>
                  <Words text={description} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/**
 * How an endpoint is asked, for a shell; null: there is no example of what it takes, or it takes a browser.
 */
function exampleFor({ method, path, group, body }: Endpoint, origin: string): string | null {
  if (group === 'Dashboard') return null;
  const sent = bodies[path];
  if (body.length > 0 && sent === undefined) return null;
  const key = group === null ? 'TOLLGATE_KEY' : 'TOLLGATE_ADMIN_TOKEN';
  const lines = [
    `curl ${method === 'GET' || sent ? '' : `-X ${method} `}${origin}${path}`,
    `-H "Authorization: Bearer $${key}"`,
    ...(sent ? ['-H "Content-Type: application/json"', `-d '${JSON.stringify(sent)}'`] : []),
  ];
  return lines.join(' \\\n  ');
}
