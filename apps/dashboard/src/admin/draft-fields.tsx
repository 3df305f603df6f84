import type { GuardrailDraft } from '../api/guardrails';
import { Choice } from '../design/choice';
import { Checkbox, TextArea, TextField } from '../design/field';
import styles from './admin.module.css';
import type { DraftFields } from './guardrail-draft';

/** What a guardrail looks for, what it does, and for which requests, as it is tried and put in force. */
export function DraftFieldset({ fields, onChange }: { fields: DraftFields; onChange: (fields: DraftFields) => void }) {
  const field = (name: 'id' | 'keys' | 'models') => ({
    value: fields[name],
    onChange: (event: { target: { value: string } }) => onChange({ ...fields, [name]: event.target.value }),
  });
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
      <Choice<DraftFields['appliesTo']>
        label="It looks in"
        options={[
          ['both', 'Requests and answers'],
          ['input', 'Requests'],
          ['output', 'Answers'],
        ]}
        value={fields.appliesTo}
        onChange={(appliesTo) => onChange({ ...fields, appliesTo })}
      />
      <TextField
        label="Id"
        optional
        hint="To put it in force: lower-case letters, digits and dashes, such as no-secrets. One of this id is replaced."
        {...field('id')}
      />
      <TextField label="Keys" optional hint="Ids, with commas. Empty: all." {...field('keys')} />
      <TextField
        label="Models"
        optional
        hint="Patterns, with commas, such as openai/*. Empty: all."
        {...field('models')}
      />
    </div>
  );
}
