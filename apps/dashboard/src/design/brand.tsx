import { Link } from 'react-router';
import styles from './brand.module.css';

export function Brand() {
  return (
    <Link to="/" className={styles.brand}>
      <svg viewBox="0 0 32 32" width={26} height={26} aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="#2f5bea" />
        <path d="M8 24V12.5a8 8 0 0 1 16 0V24" fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
        <path d="M16 24v-8" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
      </svg>
      Tollgate
    </Link>
  );
}
