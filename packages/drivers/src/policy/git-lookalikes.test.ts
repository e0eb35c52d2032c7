/**
 * Hundreds of folders that git may take for a repository, each with a configuration that runs a program wherever git would read it, and a
 * harmless one wherever a careless reader would. Where the policy sees no risk, the real git is run, and nothing else may run.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gitRisk } from './git-repository.ts';
import { makePolicyFiles } from './policy-files.ts';

/** The percentage of all shapes that are tested. */
const ROUNDS = Math.min(100, Number(process.env['SPOOL_TEST_ROUNDS'] ?? 100));

const HEADS = {
  branch: 'ref: refs/heads/main\n',
  commit: `${'0'.repeat(40)}\n`,
  tight: 'ref:refs/heads/main',
  crlf: 'ref: refs/heads/main\r\n',
  outside: 'ref: heads/main\n',
  garbage: 'x\n',
  empty: '',
  /** Links. */
  dangling: { link: 'refs/heads/main' },
  toFile: { link: 'HEAD2' },
  missing: null,
} as const;
const PARTS = ['folder', 'program', 'file', 'link', 'missing'] as const;
const COMMONS = [
  null,
  '',
  'e',
  'e\n',
  'e\n\n',
  'e\r\n',
  'e\r',
  'e\n\r\n',
  ' e',
  'e ',
  'e\t\n',
  './e\n',
  'e\nf\n',
  '\n',
];
const PLACES = ['inside', 'folder', 'file', 'above'] as const;

interface Shape {
  readonly place: (typeof PLACES)[number];
  readonly head: keyof typeof HEADS;
  readonly objects: (typeof PARTS)[number];
  readonly refs: (typeof PARTS)[number];
  readonly common: string | null;
}

/** Returns shapes with every value of each axis beside every value of one other. */
function shapes(): Shape[] {
  const plain = { head: 'branch', objects: 'folder', refs: 'folder', common: null } as const;
  const heads = Object.keys(HEADS) as Shape['head'][];
  return PLACES.flatMap((place): Shape[] => [
    ...heads.flatMap((head) => COMMONS.map((common) => ({ ...plain, place, head, common }))),
    ...heads.flatMap((head) => PARTS.map((objects) => ({ ...plain, place, head, objects }))),
    ...PARTS.flatMap((refs) => COMMONS.map((common) => ({ ...plain, place, refs, common }))),
    ...PARTS.flatMap((refs) => PARTS.map((objects) => ({ ...plain, place, refs, objects }))),
  ]);
}

let folder: string;
beforeAll(() => (folder = fs.realpathSync(fs.mkdtempSync(`${tmpdir()}/spool-test-`))));
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** Makes the folder of a shape; returns where the agent runs and which file a program makes. */
function make(shape: Shape, name: string): { readonly work: string; readonly marker: string } {
  const top = `${folder}/${name}`;
  const marker = `${top}/marker`;
  const work = shape.place === 'above' ? `${top}/work/below` : `${top}/work`;
  fs.mkdirSync(work, { recursive: true });
  const harmless = '[core]\n\tbare = false\n';
  const evil = (at: string): string =>
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ${at}\n\tfsmonitor = "touch ${marker}; false"\n`;
  const own = shape.place === 'inside' ? work : shape.place === 'file' ? `${top}/own` : `${work}/.git`;
  fs.mkdirSync(own, { recursive: true });
  if (shape.place === 'file') fs.writeFileSync(`${work}/.git`, `gitdir: ${own}\n`);
  if (shape.place === 'above') {
    for (const each of ['objects', 'refs']) fs.mkdirSync(`${top}/work/.git/${each}`, { recursive: true });
    fs.writeFileSync(`${top}/work/.git/HEAD`, HEADS.branch);
    fs.writeFileSync(`${top}/work/.git/config`, evil(`${top}/work`));
  }

  const head = HEADS[shape.head];
  if (typeof head === 'string') fs.writeFileSync(`${own}/HEAD`, head);
  else if (head) fs.symlinkSync(head.link, `${own}/HEAD`);
  fs.writeFileSync(`${own}/HEAD2`, HEADS.branch);
  const { common } = shape;
  if (common !== null) fs.writeFileSync(`${own}/commondir`, common);
  const read = common?.replace(/[\r\n]+$/, '') ?? '.';
  const misread = common === null ? [] : [common, common.replace(/\n$/, ''), common.trim(), '.'];
  const text = shape.place === 'above' ? harmless : evil(work);
  for (const [at, config] of [...misread.map((each) => [each, harmless] as const), [read, text] as const]) {
    const shared = `${own}/${at}`;
    fs.mkdirSync(shared, { recursive: true });
    fs.writeFileSync(`${shared}/config`, config);
    part(`${shared}/objects`, shape.objects);
    part(`${shared}/refs`, shape.refs);
  }
  return { work, marker };
}

function part(path: string, kind: (typeof PARTS)[number]): void {
  if (fs.existsSync(path) || kind === 'missing') return;
  if (kind === 'folder') fs.mkdirSync(path);
  else if (kind === 'link') {
    fs.mkdirSync(`${path}-real`, { recursive: true });
    fs.symlinkSync(`${path}-real`, path);
  } else fs.writeFileSync(path, '', { mode: kind === 'program' ? 0o755 : 0o644 });
}

function runsProgram({ work, marker }: { readonly work: string; readonly marker: string }): boolean {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  spawnSync('git', ['status'], { cwd: work, env, stdio: 'ignore' });
  return fs.existsSync(marker);
}

test('[POL-6] whatever git takes for a repository, it runs no program where the policy sees no risk', () => {
  const chosen = shapes().filter((_, at) => (at * 37) % 100 < ROUNDS);
  const made = chosen.map((shape, at) => ({ shape, ...make(shape, String(at)) }));
  const silent = made.filter(({ work }) => gitRisk(makePolicyFiles(fs, folder), work) === undefined);
  expect(silent.filter(runsProgram).map(({ shape }) => shape)).toEqual([]);
});

test('the repositories of these tests do run a program', () => {
  const plain = { objects: 'folder', refs: 'folder', common: null } as const;
  const known: Shape[] = [
    { ...plain, place: 'inside', head: 'dangling' },
    { ...plain, place: 'inside', head: 'branch', objects: 'program' },
    { ...plain, place: 'folder', head: 'branch', common: 'e\n\n' },
    { ...plain, place: 'folder', head: 'branch', common: 'e\r\n' },
    { ...plain, place: 'file', head: 'branch' },
    { ...plain, place: 'above', head: 'garbage' },
    { ...plain, place: 'above', head: 'branch', objects: 'file' },
  ];
  const made = known.map((shape, at) => ({ shape, ...make(shape, `known${at}`) }));
  expect(made.filter((each) => !runsProgram(each)).map(({ shape }) => shape)).toEqual([]);
});
