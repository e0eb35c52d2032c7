/**
 * The key of this browser: created at its login, kept in IndexedDB and never readable by a script. A browser gives it to pages of
 * exactly this origin, with its port, while cookies are sent to every port of a host (decision 156). The worker for push messages
 * reads the same record (`static/push-worker.js`). Keeps DOOR-58 on the page.
 */
import { pageUrl } from './page-url.ts';

export interface DeviceKey {
  /** The id of its record at the gateway. */
  readonly device: string;
  readonly privateKey: CryptoKey;
}

const DATABASE = 'spool';
const STORE = 'devices';
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** The key of a browser that cannot store it (some private windows): it lives as long as the page. */
let unstored: DeviceKey | null = null;

export async function makeKeys(): Promise<{ readonly privateKey: CryptoKey; readonly publicKey: string }> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify']);
  return { privateKey, publicKey: encoded(await crypto.subtle.exportKey('raw', publicKey)) };
}

export async function signWith({ privateKey }: DeviceKey, text: string): Promise<string> {
  const hash = { name: 'ECDSA', hash: 'SHA-256' };
  return encoded(await crypto.subtle.sign(hash, privateKey, new TextEncoder().encode(text)));
}

export async function storeKey(key: DeviceKey): Promise<void> {
  unstored = null;
  await within('readwrite', (store) => store.put(key, place())).catch(() => (unstored = key));
}

export async function storedKey(): Promise<DeviceKey | null> {
  const found = await within('readonly', (store) => store.get(place())).catch(() => null);
  return (found as DeviceKey | null | undefined) ?? unstored;
}

export async function forgetKey(): Promise<void> {
  unstored = null;
  await within('readwrite', (store) => store.delete(place())).catch(() => {}); // the key is no longer accepted
}

/** Returns the name of the record: several gateways may share an origin, by their base paths. */
function place(): string {
  return pageUrl('./').pathname;
}

async function within(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = (await settled(opening)) as IDBDatabase;
  try {
    return await settled(act(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function settled(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the browser stores nothing'));
  });
}

function encoded(bytes: ArrayBuffer): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
