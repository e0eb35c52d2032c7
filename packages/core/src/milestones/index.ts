/** Milestones of known tools, read from their output. */
export type { Catalogue, CatalogueFile, Entry, EntryData, Tool } from './catalogue.ts';
export { readCatalogue } from './catalogue.ts';
export { MilestoneReader } from './milestone-reader.ts';
