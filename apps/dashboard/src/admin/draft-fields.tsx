import type { GuardrailDraft } from '../api/guardrails';
import { Choice } from '../design/choice';
import { Checkbox, TextArea } from '../design/field';
import styles from './admin.module.css';
import type { DraftFields } from './guardrail-draft';

/** What a guardrail that is not in force looks for, and what it does. */
export function DraftFieldset({ fields, onChange }: { fields: DraftFields; onChange: (fields: DraftFields) => void }) {
  return (
    <div className={styles.form}>
      <Choice
        label="It looks for"
        options={[
          ['regex', 'Patterns'],
          ['pii', 'Personal data and keys'],
        ]}
        value={fields.kind}
        onChange={(kind) => onChange({ ...fields, kind })}
      />
      {fields.kind === 'regex' && (
        <>
          <TextArea
            label="Patterns"
            hint="One in each line, ten at most. They are matched without going back: no references, no looking around."
            code
            required
            spellCheck={false}
            value={fields.patterns}
            onChange={(event) => onChange({ ...fields, patterns: event.target.value })}
          />
          <Checkbox
            label="Upper and lower case are the same"
            checked={fields.ignoreCase}
            onChange={(event) => onChange({ ...fields, ignoreCase: event.target.checked })}
          />
        </>
      )}
      <Choice<GuardrailDraft['action']>
        label="It does"
        options={[
          ['flag', 'Flag'],
          ['redact', 'Redact'],
          ['block', 'Block'],
        ]}
        value={fields.action}
        onChange={(action) => onChange({ ...fields, action })}
      />
    </div>
  );
}
