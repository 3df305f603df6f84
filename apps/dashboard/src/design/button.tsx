import type { ComponentProps } from 'react';
import { Link } from 'react-router';
import styles from './button.module.css';
import { classes } from './classes';
import { Icon } from './icon';
import type { IconName } from './icon';

interface Look {
  tone?: 'primary' | 'plain' | 'quiet' | 'danger';
  size?: 'small' | 'medium' | 'large';
  icon?: IconName;
}

const lookOf = ({ tone = 'plain', size = 'medium' }: Look, more?: string) =>
  classes(styles.button, styles[tone], size !== 'medium' && styles[size], more);

/** `busy` shows that its work goes on and takes no second press. */
export function Button({
  tone,
  size,
  icon,
  busy = false,
  className,
  children,
  disabled,
  ...rest
}: ComponentProps<'button'> & Look & { busy?: boolean }) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={lookOf({ tone, size }, className)}
    >
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : icon && <Icon name={icon} size={16} />}
      {children}
    </button>
  );
}

/** A button that is only a picture: `label` is its name. */
export function IconButton({
  tone = 'quiet',
  size,
  icon,
  label,
  className,
  ...rest
}: Omit<ComponentProps<'button'>, 'children'> & Look & { icon: IconName; label: string }) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={lookOf({ tone, size }, classes(styles.icon, className))}
    >
      <Icon name={icon} />
    </button>
  );
}

/** A link that is only a picture: `label` is its name. */
export function IconLink({
  tone = 'quiet',
  size,
  icon,
  label,
  className,
  ...rest
}: Omit<ComponentProps<typeof Link>, 'children'> & Look & { icon: IconName; label: string }) {
  return (
    <Link
      {...rest}
      aria-label={label}
      title={label}
      className={lookOf({ tone, size }, classes(styles.icon, className))}
    >
      <Icon name={icon} />
    </Link>
  );
}

export function ButtonLink({ tone, size, icon, className, children, ...rest }: ComponentProps<typeof Link> & Look) {
  return (
    <Link {...rest} className={lookOf({ tone, size }, className)}>
      {icon && <Icon name={icon} size={16} />}
      {children}
    </Link>
  );
}
