export { Keeper } from './keeper.ts';
