import type { SettingsChange } from '@tollgate/contracts/catalog';
import styles from './admin.module.css';
import { planLossText } from './plan-use';
import { usePlans } from '../api/plans';

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
          <PlanLoss text={planLossText({ section, id, what }, plans)} />
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

function PlanLoss({ text }: { text: string }) {
  return text === '' ? null : <div>{text}</div>;
}
