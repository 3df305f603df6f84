import { Link } from 'react-router';
import styles from './brand.module.css';

export function Brand() {
  return (
    <Link to="/" className={styles.brand}>
      <img src="/favicon.svg" alt="" width={26} height={26} />
      Tollgate
    </Link>
  );
}
