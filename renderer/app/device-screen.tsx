import { LogOut } from 'lucide-react';
import type { Remote } from '../client/open-client.ts';
import { Button } from '../kit/button.tsx';
import { Page } from '../kit/page.tsx';
import { useDefaultScope } from '../parts/place/use-places.ts';
import { useMay } from '../state/connection.tsx';
import { text } from '../strings/text.ts';

const words = text.device;

/** In place of the settings, which belong to the computer with the memory: what this device may do, and its end. */
export function DeviceScreen({ remote }: { readonly remote: Remote }) {
  const scope = useDefaultScope() ?? '';
  const mayWrite = useMay('chat');
  return (
    <Page title={words.here}>
      <div className="stack gap-4">
        <p>{words.signedIn(remote.host, scope)}</p>
        <p className="soft">{mayWrite ? words.writes : words.reads}</p>
        <p className="soft">{words.elsewhere}</p>
        <Button className="keeps-width" icon={LogOut} onClick={() => remote.signOut()}>
          {words.signOut}
        </Button>
      </div>
    </Page>
  );
}
