/** One round of the layout on plain arrays. The package has the types of its other entry points only. */
declare module 'graphology-layout-forceatlas2/iterate.js' {
  import type { ForceAtlas2Settings } from 'graphology-layout-forceatlas2';

  /** @param nodes Ten numbers a node, which it changes. @param links Three numbers a link. */
  // biome-ignore lint/style/noDefaultExport: the package's own form
  export default function iterate(
    settings: Required<ForceAtlas2Settings>,
    nodes: Float32Array,
    links: Float32Array,
  ): void;
}
