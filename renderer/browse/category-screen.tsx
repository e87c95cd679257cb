import { MemoryBar } from '../memory/memory-bar.tsx';

interface Props {
  readonly scope: string;
  readonly category: string;
}

export function CategoryScreen({ scope }: Props) {
  return <MemoryBar here="browse" scope={scope} />;
}
