import { Monitor, Moon, Sun } from 'lucide-react';
import { Segments } from '../kit/choice.tsx';
import { Group, Row } from '../kit/group.tsx';
import { shownKeys } from '../parts/place/shortcuts.ts';
import { text } from '../strings/text.ts';
import { TextRow, ToggleRow } from './rows.tsx';
import { SectionHead } from './section-head.tsx';
import { type Saved, usePreference } from './use-settings.ts';

/** Name, appearance and how the chat behaves. */
export function GeneralSection() {
  const words = text.settings.general;
  const name = usePreference('name');
  const theme = usePreference('theme');
  const send = usePreference('send');
  const isPrivate = usePreference('isPrivate');
  const nameText: Saved<string | null | undefined> = { ...name, save: (value) => name.save(value ?? '') };
  const privacy: Saved<boolean | null | undefined> = {
    ...isPrivate,
    save: (value) => isPrivate.save(value === true),
  };
  return (
    <>
      <SectionHead title={text.settings.sections.general} lead={words.lead} />
      <Group title={words.you}>
        <TextRow
          label={words.name}
          hint={words.nameHint}
          placeholder={words.namePlaceholder}
          most={100}
          saved={nameText}
        />
      </Group>
      <Group title={words.look}>
        <Row label={words.theme} problem={theme.problem} isSaved={theme.isSaved}>
          {(props) => (
            <Segments
              {...props}
              value={theme.value ?? 'system'}
              onChange={theme.save}
              options={[
                { value: 'system', label: words.themes.system, icon: Monitor },
                { value: 'light', label: words.themes.light, icon: Sun },
                { value: 'dark', label: words.themes.dark, icon: Moon },
              ]}
            />
          )}
        </Row>
      </Group>
      <Group title={words.chat}>
        <Row
          label={words.send}
          hint={words.sendHint[send.value ?? 'enter']}
          problem={send.problem}
          isSaved={send.isSaved}
        >
          {(props) => (
            <Segments
              {...props}
              value={send.value ?? 'enter'}
              onChange={send.save}
              options={[
                { value: 'enter', label: words.sends.enter },
                { value: 'modifier', label: words.sends.modifier(shownKeys('$mod')) },
              ]}
            />
          )}
        </Row>
        <ToggleRow label={words.private} hint={words.privateHint} saved={privacy} />
      </Group>
    </>
  );
}
