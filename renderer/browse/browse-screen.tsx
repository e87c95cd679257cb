import { MemoryBar } from '../memory/memory-bar.tsx';

export function BrowseScreen({ scope }: { readonly scope: string }) {
  return <MemoryBar here="browse" scope={scope} />;
}
