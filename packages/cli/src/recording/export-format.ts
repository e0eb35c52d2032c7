/** Chooses the format in which a session is exported, by a flag or by the name of the file. Keeps PAST-40. */
import { UsageError } from '../command-line/usage-error.ts';

const FORMATS = ['asciicast', 'asciicast-v3', 'html', 'text'] as const;
export type ExportFormat = (typeof FORMATS)[number];

export interface ExportPlan {
  readonly format: ExportFormat;
  readonly isCompressed: boolean;
}

const BY_ENDING: Readonly<Record<string, ExportFormat>> = {
  cast: 'asciicast',
  html: 'html',
  htm: 'html',
  txt: 'text',
  text: 'text',
  log: 'text',
};

export interface FormatFlags {
  readonly format?: string | undefined;
  readonly asciicast: boolean;
  readonly html: boolean;
  readonly text: boolean;
  readonly output?: string | undefined;
}

/** Returns the format. A file whose name ends in `.gz` is compressed: `build.cast.gz`. */
export function exportPlan(flags: FormatFlags): ExportPlan {
  const [, plain, gz] = /^(.*?)(\.gz)?$/s.exec(flags.output ?? '')!;
  const asked = new Set([
    ...(flags.format === undefined ? [] : [formatOf(flags.format)]),
    ...(['asciicast', 'html', 'text'] as const).filter((format) => flags[format]),
  ]);
  if (asked.size > 1) throw new UsageError(`choose one format, not ${[...asked].join(' and ')}`, 'export');
  const [chosen] = asked;
  const ending = /\.(\w+)$/.exec(plain!)?.[1]?.toLowerCase() ?? '';
  const format = chosen ?? (Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined);
  if (format !== undefined) return { format, isCompressed: gz !== undefined };
  throw new UsageError(
    'choose a format: name the file .cast, .html or .txt (-o build.cast), or use --format asciicast, html or text',
    'export',
  );
}

function formatOf(text: string): ExportFormat {
  if (text === 'asciicast-v2') return 'asciicast';
  const known = FORMATS.find((format) => format === text);
  if (known) return known;
  throw new UsageError(`--format ${JSON.stringify(text)} is invalid; use ${FORMATS.join(', ')}`, 'export');
}
