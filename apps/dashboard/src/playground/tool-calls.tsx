import styles from './playground.module.css';
import type { ToolCall } from './turns';

export function ToolCalls({ calls }: { calls: ToolCall[] }) {
  return (
    <ul className={styles.calls}>
      {calls.map(({ id, name, args }) => (
        <li key={id}>
          <span className="muted small">Wants to call</span> <code>{name}</code>
          <pre className="break">{prettyJson(args)}</pre>
        </li>
      ))}
    </ul>
  );
}

/** As the model wrote it, where it is no JSON (yet). */
function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
