import { CalendarDays, History, X } from 'lucide-react';
import { toast } from 'sonner';
import type { Reminder } from '../../main/contract.ts';
import { IconButton } from '../kit/button.tsx';
import { useMay, useReply, useSend } from '../state/connection.tsx';
import { openSource } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import styles from './new-chat.module.css';
import { dayWords } from './reminder-days.ts';

const words = text.chat.reminders;
/** What the clock of this window shows, in the form of a UTC time. */
const localClock = () => Date.now() - new Date().getTimezoneOffset() * 60_000;

/** What is ahead this week, and what this day was in earlier years; nothing where memory has neither. */
export function Reminders({ scope }: { readonly scope: string }) {
  const isOn = useReply('settings', {}).data?.preferences.reminds ?? false;
  const { data } = useReply('reminders', { scope }, { isOff: !isOn });
  const save = useSend('saveSettings', ['settings']);
  const mayTurnOff = useMay('saveSettings');
  if (!isOn || data === undefined || data.ahead.length + data.before.length === 0) return null;
  const setOn = (reminds: boolean) => save.mutate({ preferences: { reminds } });
  const turnOff = () => {
    setOn(false);
    toast(words.off, { action: { label: text.app.undo, onClick: () => setOn(true) } });
  };
  return (
    <section className={styles.reminders} aria-label={words.label}>
      <div className="line apart">
        <h2 className="soft text-14 medium">{words.label}</h2>
        {mayTurnOff && (
          <IconButton icon={X} iconSize={14} className="small-icon" label={words.turnOff} onClick={turnOff} />
        )}
      </div>
      <ul className="divided">
        {data.ahead.map((reminder) => (
          <Line key={reminder.id} icon={CalendarDays} reminder={reminder} scope={scope} />
        ))}
        {data.before.map((reminder) => (
          <Line key={reminder.id} icon={History} reminder={reminder} scope={scope} />
        ))}
      </ul>
    </section>
  );
}

interface LineProps {
  readonly icon: typeof CalendarDays;
  readonly reminder: Reminder;
  readonly scope: string;
}

function Line({ icon: Icon, reminder, scope }: LineProps) {
  const { said, day, sources } = reminder;
  const source = sources[0]?.episode;
  return (
    <li>
      <button
        type="button"
        className={styles.reminder}
        disabled={source === undefined}
        onClick={() => source !== undefined && openSource(scope, source)}
      >
        <Icon size={15} className="accent-text" aria-hidden />
        <span className="note keeps-size">{dayWords(day, localClock())}</span>
        <span className="text-14 may-break">{said}</span>
      </button>
    </li>
  );
}
