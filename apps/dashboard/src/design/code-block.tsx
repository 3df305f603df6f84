import { classes } from './classes';
import styles from './code-block.module.css';
import { CopyButton } from './copy-button';

/** `name` says what would be copied. It scrolls sideways, also by keyboard. */
export function CodeBlock({ code, name, tall = false }: { code: string; name: string; tall?: boolean }) {
  return (
    <div className={classes(styles.block, tall && styles.tall)}>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} role="group" aria-label={name}>
        <code>{code}</code>
      </pre>
      <div className={styles.copy}>
        <CopyButton text={code} name={name} />
      </div>
    </div>
  );
}
