import { MemoryBar } from '../memory/memory-bar.tsx';

interface Props {
  readonly scope: string;
  readonly entity: string;
}

export function EntityScreen({ scope }: Props) {
  return <MemoryBar here="browse" scope={scope} />;
}
