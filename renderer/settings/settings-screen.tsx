import {
  Brain,
  ChartColumn,
  Cpu,
  DatabaseBackup,
  Info,
  Keyboard,
  type LucideIcon,
  SearchCheck,
  ShieldCheck,
  SlidersHorizontal,
  Wrench,
} from 'lucide-react';
import type { ComponentType } from 'react';
import { useLocation } from 'wouter';
import { Options } from '../kit/field.tsx';
import { Page } from '../kit/page.tsx';
import { text } from '../strings/text.ts';
import { AboutSection } from './about-section.tsx';
import { BackupSection } from './backup-section.tsx';
import { DataSection } from './data-section.tsx';
import { GeneralSection } from './general-section.tsx';
import { MemorySection } from './memory-section.tsx';
import { ModelSection } from './model-section.tsx';
import { SearchSection } from './search-section.tsx';
import styles from './settings.module.css';
import { ShortcutsSection } from './shortcuts-section.tsx';
import { ToolsSection } from './tools-section.tsx';
import { UsageSection } from './usage-section.tsx';

type SectionName = keyof typeof text.settings.sections;

const SECTIONS: Readonly<
  Record<SectionName, { readonly icon: LucideIcon; readonly Section: ComponentType }>
> = {
  general: { icon: SlidersHorizontal, Section: GeneralSection },
  model: { icon: Cpu, Section: ModelSection },
  tools: { icon: Wrench, Section: ToolsSection },
  search: { icon: SearchCheck, Section: SearchSection },
  memory: { icon: Brain, Section: MemorySection },
  shortcuts: { icon: Keyboard, Section: ShortcutsSection },
  usage: { icon: ChartColumn, Section: UsageSection },
  backup: { icon: DatabaseBackup, Section: BackupSection },
  data: { icon: ShieldCheck, Section: DataSection },
  about: { icon: Info, Section: AboutSection },
};
const NAMES = Object.keys(SECTIONS) as SectionName[];

/** The settings, a section at a time. */
export function SettingsScreen({ section }: { readonly section: string | undefined }) {
  const [, navigate] = useLocation();
  const here = NAMES.find((name) => name === section) ?? 'general';
  const { Section } = SECTIONS[here];
  const words = text.settings;
  return (
    <Page title={words.title} isWide>
      <div className={styles.screen}>
        <nav className={styles.nav} aria-label={words.sectionLabel}>
          {NAMES.map((name) => {
            const Icon = SECTIONS[name].icon;
            return (
              <a
                key={name}
                href={`#/settings/${name}`}
                className={styles.entry}
                aria-current={name === here ? 'page' : undefined}
              >
                <Icon size={16} aria-hidden />
                {words.sections[name]}
              </a>
            );
          })}
        </nav>
        <select
          className={styles.select}
          aria-label={words.sectionLabel}
          value={here}
          onChange={({ target }) => navigate(`/settings/${target.value}`)}
        >
          <Options of={NAMES.map((name) => ({ value: name, label: words.sections[name] }))} />
        </select>
        <div className={styles.section} key={here}>
          <Section />
        </div>
      </div>
    </Page>
  );
}
