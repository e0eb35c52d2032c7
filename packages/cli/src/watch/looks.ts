/** The colours of `spool watch`. */
export const LOOKS = {
  title: '1',
  faint: '2',
  chosen: '7',
  blocked: '1;33',
  working: '32',
  idle: '',
  starting: '36',
  ended: '2',
  failed: '31',
  trouble: '1;31',
} as const;

export type LookName = keyof typeof LOOKS;

/** Without colours. */
const PLAIN_LOOKS: Readonly<Record<LookName, string>> = {
  ...LOOKS,
  blocked: '1',
  working: '',
  starting: '',
  failed: '2',
  trouble: '1',
};

export type Look = (name: LookName, text: string) => string;

export function lookWith(isColoured: boolean): Look {
  const looks = isColoured ? LOOKS : PLAIN_LOOKS;
  return (name, text) => (looks[name] === '' || text === '' ? text : `\x1b[${looks[name]}m${text}\x1b[m`);
}
