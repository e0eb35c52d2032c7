/**
 * The routes that the page needs beyond the protocol: search in a session's output, and its folder: previews, changes, uploads. A
 * client that may not type into a session may not see its folder. Keeps FILE-1 to FILE-5 and PAGE-10.
 */
import { SpoolError } from '@spool/protocol';
import { FILE_PREVIEW, FOLDER_LIST, SEARCH_PAGE, WORKING_TREE } from '@spool/protocol/schemas/page';
import { z } from 'zod';
import { foldersLike } from '../../files/folders.ts';
import { workingTree } from '../../files/git-diff.ts';
import { preview } from '../../files/preview.ts';
import { upload, UPLOAD_BYTES_MAX } from '../../files/uploads.ts';
import type { Authenticator } from '../../auth/authenticator.ts';
import { SearchSemaphore } from '../../search/search-semaphore.ts';
import { searchSession } from '../../search/session-search.ts';
import { type Route, route } from './route.ts';

const QUERY_CHARACTERS_MAX = 200;
const MATCHES_MAX = 200;

const count = z.coerce.number().int().min(0);
const path = z.string().max(4096).optional().describe('relative to the folder of the session (default: the folder)');

export function pageToolRoutes(authenticator: Authenticator): readonly Route[] {
  const searches = new SearchSemaphore();
  return [
    route({
      method: 'GET',
      path: '/api/sessions/:id/search',
      summary: 'Lines of the output that contain a text, the latest first, in pages',
      query: z.strictObject({
        text: z.string().min(1).max(QUERY_CHARACTERS_MAX),
        before: count.optional(),
        limit: count.min(1).max(MATCHES_MAX).optional(),
      }),
      answer: SEARCH_PAGE,
      run: async ({ client, id, query, signal, request }) =>
        await searches.take(request.principal!.id, signal, async () => {
          if (request.principal?.scope.from !== undefined)
            throw new SpoolError('NOT_ALLOWED', { reason: 'this link shows the present only' });
          return await searchSession(client, await client.get(id), query, signal);
        }),
    }),
    route({
      method: 'GET',
      path: '/api/sessions/:id/files',
      summary: 'A file or folder within the folder of the session, to look at',
      query: z.strictObject({ path }),
      answer: FILE_PREVIEW,
      run: async ({ client, id, query }) => await preview((await client.get(id)).cwd, query.path ?? ''),
    }),
    route({
      method: 'GET',
      path: '/api/sessions/:id/changes',
      summary: 'The changes in the working tree, for a session in a git repository',
      answer: WORKING_TREE,
      run: async ({ client, id, signal }) => await workingTree((await client.get(id)).cwd, signal),
    }),
    route({
      method: 'GET',
      path: '/api/folders',
      summary: 'Folders that begin with a path, for those who may start a session in them',
      query: z.strictObject({
        path: z.string().max(4096).describe('absolute, or relative to the home folder; `~` is that folder'),
      }),
      answer: FOLDER_LIST,
      async run({ query, request }) {
        if (request.principal?.scope.sessions !== undefined)
          throw new SpoolError('NOT_ALLOWED', { reason: 'this token is for some sessions, and starts none' });
        return await foldersLike(query.path);
      },
    }),
    route({
      method: 'POST',
      path: '/api/sessions/:id/uploads',
      summary: 'Put a file into the folder of the session, under a name that the gateway chooses',
      body: z.strictObject({ name: z.string().max(1000), base64: z.base64() }),
      bodyBytesMax: Math.ceil((UPLOAD_BYTES_MAX * 4) / 3) + 4096,
      answer: z.strictObject({ path: z.string() }),
      async run({ client, id, body: { name, base64 }, request }) {
        const bytes = Buffer.from(base64, 'base64');
        if (bytes.length > UPLOAD_BYTES_MAX) throw new SpoolError('FRAME_TOO_LARGE', { most: UPLOAD_BYTES_MAX });
        const session = await client.get(id);
        const made = await upload(session.cwd, name, bytes);
        authenticator.auditor.record(request.principal, 'upload', { session: session.id, note: made.slice(0, 200) });
        return { path: made };
      },
    }),
  ];
}
