import type { GraphKind } from '../../main/contract.ts';
import styles from './kind-dot.module.css';

/** The colour of a kind of node, as in the graph. */
export function KindDot({ kind, layer = 1 }: { readonly kind: GraphKind; readonly layer?: number }) {
  return <span className={styles.dot} data-kind={kind} data-layer={Math.min(layer, 4)} aria-hidden />;
}
