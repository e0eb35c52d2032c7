/** The colours of `spool watch`. */
const LOOKS = {
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

type LookName = keyof typeof LOOKS;

/** The looks without colours. */
const PLAIN_LOOKS: Readonly<Record<LookName, string>> = {
  ...LOOKS,
  blocked: '1',
  working: '',
  starting: '',
  failed: '2',
  trouble: '1',
};

export type TextStyler = (name: LookName, text: string) => string;

export function lookWith(isColoured: boolean): TextStyler {
  const looks = isColoured ? LOOKS : PLAIN_LOOKS;
  return (name, text) => (looks[name] === '' || text === '' ? text : `\x1b[${looks[name]}m${text}\x1b[m`);
}
