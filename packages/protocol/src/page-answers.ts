/** The answers of the gateway that only the page needs; `schemas/page.ts` describes them. */
import type { MessageOf } from './message-type.ts';
import type * as schemas from './schemas/page.ts';

export type SearchPage = MessageOf<typeof schemas.SEARCH_PAGE>;
export type FilePreview = MessageOf<typeof schemas.FILE_PREVIEW>;
export type WorkingTree = MessageOf<typeof schemas.WORKING_TREE>;
export type FolderList = MessageOf<typeof schemas.FOLDER_LIST>;
export type PushSubscriptions = MessageOf<typeof schemas.PUSH_STATE>;
export type ClientIdentity = MessageOf<typeof schemas.IDENTITY>;
export type IssuedPass = MessageOf<typeof schemas.ISSUED_PASS>;
