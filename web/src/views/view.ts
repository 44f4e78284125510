// A view is shown when a run has what it draws.

import type { Run } from '../data';

export interface View {
  id: string;
  title: string;
  shows: (run: Run) => boolean;
  draw: (run: Run, host: HTMLElement) => void;
}
