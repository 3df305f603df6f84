import { Link } from 'react-router';

/** A name that leads to its page, where it has one. */
export function LinkedName({ to, children }: { to: string | null; children: string }) {
  return to === null ? (
    <span className="break">{children}</span>
  ) : (
    <Link to={to} className="break">
      {children}
    </Link>
  );
}
