import { Note } from '../design/note';
import type { Part, SaidTurn } from './conversation';
import styles from './requests.module.css';

/** Turns of a conversation as text: nothing in them is fetched or run. */
export function ConversationView({ turns }: { turns: SaidTurn[] }) {
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
