import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** Shown in place of the children once they have failed, until `at` changes. */
  readonly fallback: ReactNode;
  readonly at: string;
  readonly children: ReactNode;
}

/** Without it, React removes everything when a screen fails to load, as after an upgrade, which replaces its files. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly hasFailed: boolean }> {
  static getDerivedStateFromError = () => ({ hasFailed: true });

  override state = { hasFailed: false };

  override componentDidUpdate(before: ErrorBoundaryProps): void {
    if (before.at !== this.props.at && this.state.hasFailed) this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
