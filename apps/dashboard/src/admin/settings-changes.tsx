import type { SettingsChange } from '@tollgate/contracts';
import styles from './admin.module.css';
import { planLossText } from './plan-use';
import { usePlans } from './use-plans';

/** What is another in settings, entry by entry and field by field. */
export function SettingsChanges({ changes }: { changes: SettingsChange[] }) {
  const plans = usePlans();
  if (changes.length === 0) return <p>No entry changes: only how it is written.</p>;
  return (
    <ul className={styles.changes} aria-label="Changes">
      {changes.map(({ section, id, what, fields }) => (
        <li key={`${section} ${id}`}>
          <strong>
            {section} {id}: {what}
          </strong>
          {planLossText({ section, id, what }, plans) && <div>{planLossText({ section, id, what }, plans)}</div>}
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
