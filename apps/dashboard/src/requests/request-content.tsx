import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { LoggedContent } from '@tollgate/contracts/metering';
import { useState } from 'react';
import { fetchContent, readContent, removeContent } from '../api/content-log';
import type { ReportScope } from '../api/reports';
import { useAction } from '../api/use-action';
import { Badge } from '../design/badge';
import { Button, ButtonLink } from '../design/button';
import { CodeBlock } from '../design/code-block';
import { ConfirmDialog } from '../design/confirm-dialog';
import { DialogActions } from '../design/dialog';
import { Note } from '../design/note';
import { Loaded } from '../design/states';
import { formatDate } from '../format/time';
import { conversationIn, type Part, type SaidTurn } from './conversation';
import styles from './requests.module.css';

/**
 * What was logged of a request: of one's own at once, of others when an administrator asks for it, which is
 * written down.
 */
export function RequestContent({ eventId, scope }: { eventId: string; scope: ReportScope }) {
  return (
    <section className={styles.section} aria-labelledby="request-content">
      <h3 id="request-content">Request and answer</h3>
      {scope === 'own' ? <OwnContent eventId={eventId} /> : <ForeignContent eventId={eventId} />}
    </section>
  );
}

function OwnContent({ eventId }: { eventId: string }) {
  const [removing, setRemoving] = useState(false);
  const client = useQueryClient();
  const queryKey = ['content', eventId];
  const content = useQuery({ queryKey, queryFn: () => fetchContent(eventId) });
  return (
    <Loaded query={content} lines={2}>
      {(logged) =>
        logged === null ? (
          <p className="muted">Nothing of them is kept. Logging is switched on at each key, on the page Keys.</p>
        ) : (
          <>
            <Texts logged={logged} />
            <DialogActions>
              {!logged.requestTruncated && conversationIn(logged.request) !== null && (
                <ButtonLink icon="message" to={`/playground?replay=${encodeURIComponent(eventId)}`}>
                  Ask it again
                </ButtonLink>
              )}
              <Button icon="trash" onClick={() => setRemoving(true)}>
                Remove them
              </Button>
            </DialogActions>
            <ConfirmDialog
              open={removing}
              onClose={() => setRemoving(false)}
              title="Remove this request and its answer?"
              action="Remove them for good"
              onConfirm={async () => {
                await removeContent(eventId);
                client.setQueryData(queryKey, null);
              }}
            >
              Their text is gone then. What was used stays in the reports.
            </ConfirmDialog>
          </>
        )
      }
    </Loaded>
  );
}

function ForeignContent({ eventId }: { eventId: string }) {
  const [logged, setLogged] = useState<LoggedContent | null>(null);
  const { run, busy, problem } = useAction(async () => setLogged(await readContent(eventId)));
  if (logged) return <Texts logged={logged} />;
  return (
    <>
      <p className="muted">If they were logged you may read them. The audit log keeps that you did.</p>
      {problem && <Note tone="bad">{problem}</Note>}
      <DialogActions>
        <Button busy={busy} onClick={() => void run()}>
          Read them
        </Button>
      </DialogActions>
    </>
  );
}

function Texts({ logged }: { logged: LoggedContent }) {
  const { request, answer, requestTruncated, answerTruncated, redactions, expiresAt } = logged;
  return (
    <>
      <p className="muted">
        Kept until {formatDate(expiresAt)}.{' '}
        {redactions > 0 && `Something was taken out in ${redactions} ${redactions === 1 ? 'place' : 'places'}.`}
      </p>
      <h4>Request {requestTruncated && <Badge tone="warn">cut</Badge>}</h4>
      <Text json={request} name="logged request" />
      <h4>Answer {answerTruncated && <Badge tone="warn">cut</Badge>}</h4>
      {answer === null ? (
        <p className="muted">Nothing came that can be shown.</p>
      ) : (
        <Text json={answer} name="logged answer" />
      )}
    </>
  );
}

/** A conversation, with its JSON behind it; JSON alone, where it is none. */
function Text({ json, name }: { json: string; name: string }) {
  const turns = conversationIn(json);
  const code = <CodeBlock code={indentedJson(json)} name={name} tall />;
  if (turns === null) return code;
  return (
    <>
      <ConversationView turns={turns} />
      <details className={styles.source}>
        <summary>As JSON</summary>
        {code}
      </details>
    </>
  );
}

/** Turns of a conversation as text: nothing in them is fetched or run. */
function ConversationView({ turns }: { turns: SaidTurn[] }) {
  return (
    <ol className={styles.turns}>
      {turns.map(({ role, parts }, turn) => (
        <li key={`${turn} ${role}`}>
          <span className={styles.role}>{role}</span>
          {parts.map((part, index) => (
            <PartView key={`${index} ${part.kind}`} part={part} />
          ))}
        </li>
      ))}
    </ol>
  );
}

function PartView({ part: { kind, name, text } }: { part: Part }) {
  if (kind === 'error') return <Note tone="warn">{text}</Note>;
  if (kind === 'text') return <p className={styles.said}>{text}</p>;
  const title = { call: 'Calls', result: 'Result', reasoning: 'Reasoning', other: 'Not text' }[kind];
  return (
    <div className={styles.part}>
      <span className="muted small">
        {title} {name && <code>{name}</code>}
      </span>
      <p className={kind === 'reasoning' ? styles.said : styles.data}>{text}</p>
    </div>
  );
}

/** A JSON text with a line for each member; as it is, where it is no JSON. */
function indentedJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
