import encodeQR from 'qr';
import styles from './settings.module.css';

/** What an authenticator's camera reads: black on white in every theme, since many read nothing else. */
export function EnrolmentCode({ uri }: { uri: string }) {
  const rows = encodeQR(uri, 'raw', { ecc: 'medium' });
  const dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      className={styles.code}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label="The key, to be scanned"
    >
      <path d={`M0 0h${rows.length}v${rows.length}h-${rows.length}z`} fill="#fff" />
      <path d={dark.join('')} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
