/** The terminal model: what a session's output has come to, and how it is shown, sent and kept. */
export { ScreenModel } from './screen-model.ts';
export type { ScreenCursor, ScreenModelOptions } from './screen-model.ts';
export type { Size } from './engine.ts';
export { useWidths } from './widths.ts';
export type { Colour, Run, ScreenLine, Style } from './screen-line.ts';
export { cursorLineOf, solidText } from './cursor-line.ts';
export type { CursorLine } from './cursor-line.ts';
export { snapshot } from './snapshot.ts';
export type { SnapshotOptions } from './snapshot.ts';
export { encodeKeyframe, KEYFRAME_VERSION, restoreModel } from './keyframe.ts';
export type { KeyframeOptions } from './keyframe.ts';
export { renderAnsi, renderJson, renderText } from './render.ts';
export type { LineJson, ScreenJson } from './render.ts';
export { renderHtml } from './render-html.ts';
export type { RenderOptions } from './rendered-lines.ts';
