import { Monitor, Moon, Sun } from 'lucide-react';
import { Group } from '../kit/group.tsx';
import { shownKeys } from '../parts/place/shortcuts.ts';
import { text } from '../strings/text.ts';
import { PreferenceRow, SettingRows } from './rows.tsx';
import { SectionHead } from './section-head.tsx';
import { usePreference } from './use-settings.ts';

/** Name, appearance and how the chat behaves. */
export function GeneralSection() {
  const words = text.settings.general;
  const send = usePreference('send').value ?? 'enter';
  const sends = { ...text.settings.fields.send.options, modifier: words.sendWithModifier(shownKeys('$mod')) };
  return (
    <>
      <SectionHead title={text.settings.sections.general} lead={words.lead} />
      <Group title={words.you}>
        <PreferenceRow name="name" />
        <SettingRows names={['timeZone']} />
      </Group>
      <Group title={words.look}>
        <PreferenceRow name="theme" icons={{ system: Monitor, light: Sun, dark: Moon }} />
      </Group>
      <Group title={words.chat}>
        <PreferenceRow name="send" hint={words.sendHint[send]} options={sends} />
        <PreferenceRow name="isPrivate" />
        <PreferenceRow name="reminds" />
      </Group>
    </>
  );
}
