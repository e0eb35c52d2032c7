/** The user's templates for starts: kept in this browser, because they belong to this user. */
import { create } from 'zustand';

const KEY = 'spool-templates';
const KEPT_MAX = 50;

/** The content of the form. */
export interface StartDraft {
  readonly line: string;
  readonly cwd: string;
  readonly name: string;
  readonly environment: string;
  readonly isTask: boolean;
  readonly cols: number;
  readonly rows: number;
}

export const NEW_DRAFT: StartDraft = {
  line: '',
  cwd: '',
  name: '',
  environment: '',
  isTask: false,
  cols: 120,
  rows: 36,
};

export interface Template extends StartDraft {
  readonly title: string;
}

function load(): readonly Template[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isTemplate).map((one) => ({ ...NEW_DRAFT, ...one })) : [];
  } catch {
    return []; // another version wrote it
  }
}

const isTemplate = (value: unknown): value is Template =>
  typeof (value as Template | null)?.title === 'string' && typeof (value as Template).line === 'string';

export const useTemplates = create<{ readonly templates: readonly Template[] }>(() => ({ templates: load() }));

/** Saves a template; replaces one with the same title. */
export function saveTemplate(template: Template): void {
  keep([...useTemplates.getState().templates.filter(({ title }) => title !== template.title), template]);
}

export function removeTemplate(title: string): void {
  keep(useTemplates.getState().templates.filter((one) => one.title !== title));
}

function keep(templates: readonly Template[]): void {
  const kept = templates.slice(-KEPT_MAX);
  localStorage.setItem(KEY, JSON.stringify(kept));
  useTemplates.setState({ templates: kept });
}
