import { CopyButton } from './copy-button';
import styles from './told-secret.module.css';

/** What is told once, to be copied. `label`: of the button that does it. */
export function ToldSecret({ text, label }: { text: string; label: string }) {
  return (
    <div className={styles.secret}>
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
}
