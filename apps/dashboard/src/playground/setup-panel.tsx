import { Button } from '../design/button';
import { TextArea, TextField } from '../design/field';
import { Note } from '../design/note';
import { Presets } from './presets';
import { exampleTools, problemOf } from './request-body';
import type { Setup } from './request-body';
import styles from './playground.module.css';

/** What every question is sent with. */
export function SetupPanel({ setup, onChange }: { setup: Setup; onChange: (setup: Setup) => void }) {
  const set = (name: keyof Setup) => (event: { target: { value: string } }) =>
    onChange({ ...setup, [name]: event.target.value });
  const problem = problemOf(setup);
  return (
    <div className={styles.setup}>
      <Presets setup={setup} onChoose={onChange} />
      <TextArea
        label="System prompt"
        rows={4}
        placeholder="You answer briefly and exactly."
        value={setup.system}
        onChange={set('system')}
      />
      <div className={styles.parameters}>
        <TextField
          label="Temperature"
          inputMode="decimal"
          placeholder="auto"
          value={setup.temperature}
          onChange={set('temperature')}
        />
        <TextField label="Top p" inputMode="decimal" placeholder="auto" value={setup.topP} onChange={set('topP')} />
        <TextField
          label="Output limit"
          inputMode="numeric"
          placeholder="auto"
          value={setup.maxTokens}
          onChange={set('maxTokens')}
        />
      </div>
      <TextArea
        label="Tools"
        code
        rows={setup.tools ? 10 : 2}
        placeholder="JSON array, as in chat completions"
        spellCheck={false}
        value={setup.tools}
        onChange={set('tools')}
      />
      {!setup.tools && (
        <Button size="small" onClick={() => onChange({ ...setup, tools: exampleTools })}>
          Insert an example tool
        </Button>
      )}
      <TextArea
        label="Schema of the answer"
        code
        rows={setup.schema ? 8 : 2}
        placeholder="JSON schema: the answer follows it"
        spellCheck={false}
        value={setup.schema}
        onChange={set('schema')}
      />
      <TextArea
        label="Further parameters"
        code
        rows={2}
        placeholder='{"reasoning_effort": "low"}'
        spellCheck={false}
        value={setup.more}
        onChange={set('more')}
      />
      {problem && <Note tone="bad">{problem}</Note>}
    </div>
  );
}
