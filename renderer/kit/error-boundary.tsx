import { Component, type ReactNode } from 'react';
import { text } from '../strings/text.ts';
import { Failed } from './feedback.tsx';

interface BoundaryProps {
  /** Another value, such as another place, tries the children again. */
  readonly resetKey: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly hasFailed: boolean;
}

/** Keeps an unexpected error of a part of the window from taking the rest down. */
export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { hasFailed: false };

  static getDerivedStateFromError(): BoundaryState {
    return { hasFailed: true };
  }

  override componentDidUpdate({ resetKey }: BoundaryProps): void {
    if (this.state.hasFailed && resetKey !== this.props.resetKey) this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div className="pad-5">
        <Failed onRetry={() => this.setState({ hasFailed: false })}>{text.app.broken}</Failed>
      </div>
    );
  }
}
