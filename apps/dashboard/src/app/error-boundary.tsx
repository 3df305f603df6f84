import { Component } from 'react';
import type { ReactNode } from 'react';
import { Failed } from '../design/states';

/**
 * Shows what broke instead of an empty page. After an update old files are gone: loading again brings the new
 * ones.
 */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return <Failed error={error} onRetry={() => location.reload()} />;
  }
}
