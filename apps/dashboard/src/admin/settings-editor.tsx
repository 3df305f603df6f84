import { useState } from 'react';
import { applySettings } from '../api/gateway-settings';
import type { GatewaySettings, SettingsOutcome } from '../api/gateway-settings';
import { useAction } from '../api/use-action';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { ConfirmDialog } from '../design/confirm-dialog';
import { TextArea, TextField } from '../design/field';
import { Note } from '../design/note';
import styles from './admin.module.css';
import { SettingsChanges } from './settings-changes';

const example = `# In the words of tollgate.yaml.
models:
  - id: openai/gpt-5.4-mini
    fallbacks: [openai/gpt-5.4-nano]
`;

/** The document of the settings, to write another. Nothing is in force before its changes were looked at. */
export function SettingsEditor({ shown, onChanged }: { shown: GatewaySettings; onChanged: () => Promise<unknown> }) {
  const [base, setBase] = useState(shown);
  const [document, setDocument] = useState(shown.document);
  const [outcome, setOutcome] = useState<SettingsOutcome | null>(null);
  const look = useAction(async () =>
    setOutcome(await applySettings({ document, version: base.version, dryRun: true })),
  );
  const takeNewest = () => {
    setBase(shown);
    setDocument(shown.document);
  };
  return (
    <Card title="Change">
      <div className={styles.form}>
        {shown.version !== base.version && (
          <Note tone="warn" title={`Version ${shown.version} was set meanwhile by ${shown.setBy}`}>
            <Button size="small" onClick={takeNewest}>
              Take it, and leave what stands here
            </Button>
          </Note>
        )}
        <TextArea
          label="Settings"
          hint="YAML: providers, models (without prices), plans, guardrails and newModels. An empty text takes everything back."
          code
          rows={14}
          spellCheck={false}
          placeholder={example}
          value={document}
          onChange={(event) => setDocument(event.target.value)}
        />
        {look.problem !== null && (
          <Note tone="bad">
            <p className={styles.lines}>{look.problem}</p>
          </Note>
        )}
        <p>
          <Button tone="primary" busy={look.busy} disabled={document === base.document} onClick={() => void look.run()}>
            Look at the changes
          </Button>
        </p>
      </div>
      {outcome && (
        <ApplyDialog
          outcome={outcome}
          wish={{ document, version: base.version }}
          onClose={() => setOutcome(null)}
          onChanged={onChanged}
        />
      )}
    </Card>
  );
}

function ApplyDialog({
  outcome,
  wish,
  onClose,
  onChanged,
}: {
  outcome: SettingsOutcome;
  wish: { document: string; version: number };
  onClose: () => void;
  onChanged: () => Promise<unknown>;
}) {
  const [reason, setReason] = useState('');
  const apply = async () => {
    await applySettings({ ...wish, ...(reason.trim() && { reason: reason.trim() }) });
    await onChanged();
  };
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Put these settings in force?"
      action="Put in force"
      tone="primary"
      onConfirm={apply}
    >
      <div className={styles.form}>
        <p>Every instance has them within seconds. Versions of before stay, and can be taken back.</p>
        <SettingsChanges changes={outcome.changes} />
        <TextField
          label="Reason"
          optional
          hint="For the history."
          maxLength={300}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
    </ConfirmDialog>
  );
}
