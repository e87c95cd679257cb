import { useEffect } from 'react';
import type { Preferences } from '../../main/contract.ts';

const DARK = '(prefers-color-scheme: dark)';

/** Sets the theme of the page, and follows the system where the user has chosen none. */
export function useTheme(theme: Preferences['theme']): void {
  useEffect(() => {
    const system = window.matchMedia(DARK);
    const apply = () => {
      const isDark = theme === 'dark' || (theme === 'system' && system.matches);
      document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    };
    apply();
    system.addEventListener('change', apply);
    return () => system.removeEventListener('change', apply);
  }, [theme]);
}
