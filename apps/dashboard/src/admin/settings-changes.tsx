import type { SettingsChange } from '@tollgate/contracts';
import styles from './admin.module.css';

/** What is another in settings, entry by entry and field by field. */
export function SettingsChanges({ changes }: { changes: SettingsChange[] }) {
  if (changes.length === 0) return <p>No entry changes: only how it is written.</p>;
  return (
    <ul className={styles.changes} aria-label="Changes">
      {changes.map(({ section, id, what, fields }) => (
        <li key={`${section} ${id}`}>
          <strong>
            {section} {id}: {what}
          </strong>
          {fields.map(({ field, before, after }) => (
            <div key={field}>
              {field}: {before === null ? '' : `${before} → `}
              {after ?? 'not said'}
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}
