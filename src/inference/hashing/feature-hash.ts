/** Adds a feature to its bucket with the sign of its hash, so that collisions cancel out on average. */
export function addFeature(vector: Float32Array, feature: string, weight: number): void {
  const hash = hashOf(feature);
  vector[hash % vector.length]! += hash & 0x80000000 ? -weight : weight;
}

/** FNV-1a over UTF-16 units, mixed by MurmurHash3's finaliser so that low and high bits are both usable. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let position = 0; position < text.length; position++)
    hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
