/**
 * The page: the files of `dist/web`, read once, so that no path leads elsewhere. A missing asset is answered with 404 and never
 * with the page, because an old page must not run with a new daemon's assets. Assets are compressed when they are first wanted:
 * they are the same for everyone, so their length reveals nothing. Keeps DOOR-6 and PAGE-78.
 *
 * A page that was open during an upgrade loads further parts of that version later, so the assets of the copy before are served too: their names
 * contain their hashes. Keeps REL-5.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { programFolder } from '@spool/protocol';

/** An asset by its path: a plain name, so that no path leads elsewhere. */
const ASSET = /^assets\/[\w-]+(\.[\w-]+)+$/;

/** The placeholder in `index.html` for the nonce of this load. */
export const NONCE_PLACE = '__CSP_NONCE__';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.map': 'application/json',
};

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Spool</title>
<p>The gateway is running. This build has no page.</p></html>`;

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

type PageEncoding = 'br' | 'gzip';

export interface PackedFile extends PageFile {
  /** The encoding of the bytes; null if they are not encoded. */
  readonly encoding: PageEncoding | null;
}

/** The shortest file that is worth it. */
const PACKED_BYTES_MIN = 1024;
const PACKED_TYPE = /^text\/|^image\/svg|json/;
/** A quality at which the whole page takes a twentieth of a second; the best one would take two seconds for a tenth less. */
const BROTLI_QUALITY = 5;
const PACK: Readonly<Record<PageEncoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/** The files in memory: a rebuild of the programs must not mix its files with those that this gateway names. */
export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;
  readonly #packed = new Map<string, Promise<Buffer>>();
  readonly #foldersBefore: readonly string[];

  /** `foldersBefore`: the pages of earlier versions, of which only assets are served. */
  constructor(folder: string, foldersBefore: readonly string[] = []) {
    this.#foldersBefore = foldersBefore;
    this.#files = new Map(
      namesIn(folder).map((name) => [name, { type: typeOf(name), bytes: readFileSync(join(folder, name)) }]),
    );
  }

  /** Returns a file by its path below the folder; null if it does not exist. */
  read(name: string): PageFile | null {
    return this.#files.get(name) ?? (ASSET.test(name) ? this.#readBefore(name) : null);
  }

  #readBefore(name: string): PageFile | null {
    for (const folder of this.#foldersBefore) {
      try {
        return { type: typeOf(name), bytes: readFileSync(join(folder, name)) };
      } catch {
        // another copy may have it
      }
    }
    return null;
  }

  /** Returns a file in the shortest encoding that a browser accepts (`accept-encoding`); null if it does not exist. */
  async packed(name: string, accepted: string | undefined): Promise<PackedFile | null> {
    const file = this.read(name);
    if (file === null) return null;
    const isWorthIt = file.bytes.length >= PACKED_BYTES_MIN && PACKED_TYPE.test(file.type);
    const encoding = isWorthIt ? encodingFor(accepted ?? '') : null;
    if (encoding === null) return { ...file, encoding };
    const key = `${encoding} ${name}`;
    let bytes = this.#packed.get(key);
    if (bytes === undefined) this.#packed.set(key, (bytes = PACK[encoding](file.bytes)));
    return { type: file.type, bytes: await bytes, encoding };
  }

  page(): { readonly html: string; readonly policy: string } {
    const nonce = randomBytes(16).toString('base64');
    const html = this.#files.get('index.html')?.bytes.toString() ?? NOT_BUILT;
    return { html: html.replaceAll(NONCE_PLACE, nonce), policy: policyWith(nonce) };
  }
}

function typeOf(name: string): string {
  return TYPES[extname(name)] ?? 'application/octet-stream';
}

/** Returns the pages of the other copies of the program beside this one, in the state folder of the daemon (decision 161). */
export function pagesBeside(folder: string): readonly string[] {
  const [own, copies] = [basename(dirname(folder)), dirname(dirname(folder))];
  if (!copies.endsWith(programFolder(''))) return [];
  const others = readdirSync(copies).filter((name) => name !== own);
  return others.map((name) => join(copies, name, basename(folder)));
}

/** Returns the best encoding that is accepted. One with the weight 0 is refused. */
function encodingFor(accepted: string): PageEncoding | null {
  const names = accepted.split(',').flatMap((each) => {
    const [name = '', ...weights] = each.split(';').map((part) => part.trim().toLowerCase());
    return weights.some((weight) => /^q=0(\.0*)?$/.test(weight)) ? [] : [name];
  });
  return (['br', 'gzip'] as const).find((name) => names.includes(name)) ?? null;
}

/** Returns the policy: no inline code or style without this load's nonce, no content from elsewhere, no frames. */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types spool',
  ].join('; ');
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  } catch {
    return []; // this build has no page
  }
}
