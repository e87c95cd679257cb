import type { GraphKind } from '../../main/contract.ts';
import { colourOf, coloursOf } from './graph/graph-colours.ts';

const [LIGHT, DARK] = [coloursOf('light'), coloursOf('dark')];

/** The colour of a kind of node, as in the graph. */
export function KindDot({ kind, layer = 1 }: { readonly kind: GraphKind; readonly layer?: number }) {
  const [light, dark] = [LIGHT, DARK].map((colours) => colourOf({ kind, layer }, colours));
  const background = `light-dark(${light}, ${dark})`;
  return <span className="round keeps-size" style={{ width: 10, height: 10, background }} aria-hidden />;
}
