/** Milestones of known tools, read from their output. */
export type { Catalogue, CatalogueFile, CatalogueEntry, EntryData, CatalogueTool } from './catalogue.ts';
export { readCatalogue } from './catalogue.ts';
export { MilestoneReader } from './milestone-reader.ts';
