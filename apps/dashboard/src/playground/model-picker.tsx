import type { ListedModel } from '../api/catalog';
import { SelectField } from '../design/field';
import styles from './playground.module.css';

/** Every model that answers, by provider. */
export function ModelPicker({
  label,
  models,
  value,
  onChange,
}: {
  label: string;
  models: ListedModel[];
  value: string;
  onChange: (id: string) => void;
}) {
  const providers = [...new Set(models.map(({ providerName }) => providerName))].sort((a, b) => a.localeCompare(b));
  return (
    <SelectField
      label={label}
      hiddenLabel
      className={styles.picker}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {providers.map((provider) => (
        <optgroup key={provider} label={provider}>
          {models
            .filter(({ providerName }) => providerName === provider)
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </optgroup>
      ))}
    </SelectField>
  );
}
