import type { Migration } from './migration';

/** All migrations since the baseline, in the order of their names. A test compares them with the folder. */
export const MIGRATIONS: readonly Migration[] = [];
