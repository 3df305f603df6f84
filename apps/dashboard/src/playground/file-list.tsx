import { IconButton } from '../design/button';
import type { AttachedFile } from './attached-file';
import styles from './playground.module.css';

/** The documents and sounds of a question, by their names. `onRemove` absent: they stay. */
export function FileList({ files, onRemove }: { files: readonly AttachedFile[]; onRemove?: (number: number) => void }) {
  if (files.length === 0) return null;
  return (
    <ul className={styles.files} aria-label="Attached files">
      {files.map(({ name }, number) => (
        <li key={number}>
          <span className="break">{name}</span>
          {onRemove && (
            <IconButton size="small" icon="close" label={`Take ${name} away`} onClick={() => onRemove(number)} />
          )}
        </li>
      ))}
    </ul>
  );
}
